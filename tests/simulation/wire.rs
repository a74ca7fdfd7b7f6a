//! The simulated network's ends: a listener for axum, and what carries a branch's requests over hyper.

use bytes::Bytes;
use edge::sync::{Answer, HubClient, HubError, Reply, Request};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header;
use hyper_util::rt::TokioIo;
use std::net::SocketAddr;
use tokio::sync::Mutex;
use turmoil::net::{TcpListener, TcpStream};

/// The port everybody listens on.
pub const PORT: u16 = 80;

/// A listener that axum can serve on.
pub struct Listener(TcpListener);

impl Listener {
    /// Listens on this host.
    pub async fn bind() -> std::io::Result<Listener> {
        TcpListener::bind(("0.0.0.0", PORT)).await.map(Listener)
    }
}

impl axum::serve::Listener for Listener {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        loop {
            if let Ok(accepted) = self.0.accept().await {
                return accepted;
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

/// Carries requests over the simulated network. One connection is kept while all goes well.
pub struct Carrier {
    to: String,
    key: Option<String>,
    kept: Mutex<Option<SendRequest<Full<Bytes>>>>,
}

impl Carrier {
    /// To the host `to`, with the box's key.
    pub fn new(to: &str, key: Option<String>) -> Carrier {
        Carrier { to: to.to_owned(), key, kept: Mutex::new(None) }
    }

    async fn connection(&self) -> Result<SendRequest<Full<Bytes>>, Box<dyn std::error::Error + Send + Sync>> {
        if let Some(kept) = self.kept.lock().await.take()
            && !kept.is_closed()
        {
            return Ok(kept);
        }
        let stream = TcpStream::connect((self.to.as_str(), PORT)).await?;
        let (sender, connection) = handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(sender)
    }

    async fn exchange(&self, request: Request) -> Result<Answer, Box<dyn std::error::Error + Send + Sync>> {
        let mut connection = self.connection().await?;
        let mut built = hyper::Request::builder()
            .method(request.method)
            .uri(format!("/sync/v1/{}", request.path))
            .header(header::HOST, "hub.local");
        if !request.body.is_empty() {
            built = built.header(header::CONTENT_TYPE, request.content_type);
        }
        if let Some(key) = &self.key {
            built = built.header(header::AUTHORIZATION, format!("Bearer {key}"));
        }
        if let Some(class) = request.class {
            built = built.header(tiffin_common::sync::CLASS_HEADER, class.name());
        }
        connection.ready().await?;
        let response = connection.send_request(built.body(Full::new(request.body))?).await?;
        let text = |name: header::HeaderName| {
            response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned)
        };
        let (content_type, retry_after) = (text(header::CONTENT_TYPE), text(header::RETRY_AFTER));
        let status = response.status().as_u16();
        let body = response.into_body().collect().await?.to_bytes();
        if status < 300 {
            *self.kept.lock().await = Some(connection);
        }
        let retry_after = retry_after.and_then(|text| text.parse().ok());
        Ok(Answer { status, content_type, retry_after, body })
    }
}

impl HubClient for Carrier {
    fn send(&self, request: Request) -> Reply<'_> {
        Box::pin(
            async move { self.exchange(request).await.map_err(|error| HubError::Offline(error.to_string())) },
        )
    }
}

/// Carries requests to a router in the same process, without a network.
pub struct Direct {
    router: axum::Router,
    key: Option<String>,
}

impl Direct {
    /// To `router`, without a key: for enrolment.
    pub fn new(router: axum::Router) -> Direct {
        Direct { router, key: None }
    }

    /// To `router`, with a box's key.
    pub fn with_key(router: axum::Router, key: String) -> Direct {
        Direct { router, key: Some(key) }
    }
}

impl HubClient for Direct {
    fn send(&self, request: Request) -> Reply<'_> {
        Box::pin(async move {
            let mut built = hyper::Request::builder()
                .method(request.method)
                .uri(format!("/sync/v1/{}", request.path))
                .header(header::HOST, "hub.local")
                .header(header::CONTENT_TYPE, request.content_type);
            if let Some(key) = &self.key {
                built = built.header(header::AUTHORIZATION, format!("Bearer {key}"));
            }
            let offline = |error: &dyn std::fmt::Display| HubError::Offline(error.to_string());
            if let Some(class) = request.class {
                built = built.header(tiffin_common::sync::CLASS_HEADER, class.name());
            }
            let built = built.body(axum::body::Body::from(request.body)).map_err(|error| offline(&error))?;
            let mut router = self.router.clone();
            let response = tower::Service::call(&mut router, built).await.map_err(|error| offline(&error))?;
            let status = response.status().as_u16();
            let content_type = response.headers().get(header::CONTENT_TYPE);
            let content_type = content_type.and_then(|value| value.to_str().ok()).map(str::to_owned);
            let body = response.into_body().collect().await.map_err(|error| offline(&error))?.to_bytes();
            Ok(Answer { status, content_type, retry_after: None, body })
        })
    }
}
