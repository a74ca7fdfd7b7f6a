//! `/menu/items/{id}/image`. What is handed in is read by its content, whatever it is called, and what is handed out was made here.

use crate::access::Cx;
use crate::db::Db;
use crate::http::extract::media_type;
use crate::http::{Code, Id, Problem, Query, Result, Updated, etag};
use crate::resources::menu::rules::pictures::{MOST_BYTES, Picture, PictureSize, mark};
use crate::resources::menu::rules::{MenuError, MenuItem};
use crate::resources::menu::{actions, store};
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use schemars::JsonSchema;
use tokio::sync::Semaphore;

/// Pictures that are read at once: each may hold 200 MB and a processor.
static AT_WORK: Semaphore = Semaphore::const_new(1);

/// A picture that is handed in, as it came.
struct Upload(Bytes);

/// JPEG, PNG or WebP, at most 5 MiB.
#[derive(JsonSchema)]
#[schemars(extend("format" = "binary"))]
pub(super) struct DishPicture(
    #[expect(dead_code, reason = "only the form of the body, for the published document")] String,
);

impl Upload {
    /// What a request hands in.
    async fn of(request: Request) -> Result<Upload> {
        let kind = media_type(request.headers());
        if !["", "image/jpeg", "image/png", "image/webp", "application/octet-stream"].contains(&kind.as_str())
        {
            let what = "Send image/jpeg, image/png or image/webp";
            return Err(Problem::new(Code::UnsupportedMediaType).detail(what));
        }
        let body = Limited::new(request.into_body(), MOST_BYTES).collect().await.map_err(|error| {
            let code = if error.is::<LengthLimitError>() { Code::PayloadTooLarge } else { Code::BadRequest };
            Problem::new(code).detail("A picture may have 5 MiB")
        })?;
        Ok(Upload(body.to_bytes()))
    }

    /// The picture that it is, made off the async threads.
    async fn read(self) -> Result<Picture> {
        let busy = || Problem::new(Code::Unavailable).retry_after(1);
        let turn = AT_WORK.acquire().await.map_err(|_| busy())?;
        let made = tokio::task::spawn_blocking(move || {
            let _held = turn;
            Picture::read(&self.0)
        });
        made.await.map_err(|_| busy())?.map_err(|why| Problem::field("image", why))
    }
}

/// Gives a dish a picture of its own. The dish is looked up before the body is read.
pub async fn put_item_image(cx: Cx, Id(id): Id, request: Request) -> Result<Updated<MenuItem>> {
    let now = cx.db.env().clock.now();
    cx.read(move |conn, outlet| {
        store::find_item(conn, outlet, id, &store::find_local_now(conn, outlet, now)?).map(drop)
    })
    .await?;
    let picture = Upload::of(request).await?.read().await?;
    cx.update(move |tx, actor| actions::set_picture(tx, actor, id, &picture)).await
}

/// Takes a dish's own picture away.
pub async fn delete_item_image(cx: Cx, Id(id): Id) -> Result<Updated<MenuItem>> {
    cx.update(move |tx, actor| actions::remove_picture(tx, actor, id)).await
}

/// Which picture.
#[apply(filters!)]
pub struct ImageQuery {
    /// LARGE unless told.
    size: PictureSize,
    /// What a dish's `imageUrl` says: with it the picture may be kept for a year.
    #[schemars(length(max = 64))]
    v: Option<String>,
}

/// A dish's picture, or 304 where the browser has it.
pub async fn get_item_image(
    State(db): State<Db>,
    Id(id): Id,
    Query(query): Query<ImageQuery>,
    headers: HeaderMap,
) -> Result<Response> {
    let found = db.read(move |conn| store::pictures::find(conn, id, query.size)).await?;
    let (hash, jpeg) = found.ok_or_else(|| Problem::from(MenuError::NotFound("picture")))?;
    let version = mark(&hash);
    let tag = format!("\"{version}-{}\"", if query.size == PictureSize::Small { "s" } else { "l" });
    let is_known = etag::holds(&etag::known(&headers), &tag);
    let mut response =
        etag::answer(&tag, (!is_known).then_some(([(header::CONTENT_TYPE, "image/jpeg")], jpeg)));
    let for_ever = query.v.as_deref() == Some(version.as_str());
    let keep = if for_ever { "public, max-age=31536000, immutable" } else { "public, no-cache" };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
    Ok(response)
}
