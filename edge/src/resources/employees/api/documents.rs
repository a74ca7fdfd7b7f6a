//! The papers of an employee over HTTP. A file comes as multipart/form-data and goes out as an attachment: nothing that was
//! uploaded is ever shown by a browser under this server's name.

use crate::access::Cx;
use crate::http::observe::Frame;
use crate::http::schema::NO_CONTROL;
use crate::http::{Checks, Code, Created, Id, Paged, Paging, Path, Problem, Query, Result, Updated};
use crate::resources::employees::actions::documents::{self, Upload};
use crate::resources::employees::rules::EmployeeError;
use crate::resources::employees::rules::documents::{Document, DocumentKind, FileKind};
use crate::resources::employees::store;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderValue, header};
use axum::response::Response;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use tiffin_common::{Millis, Uuid, text};

/// The longest title, in characters.
const LONGEST_TITLE: usize = 200;

view! {
    /// A paper of an employee.
    pub struct EmployeeDocument of document: Document {
        id: Uuid,
        employee_id: Uuid,
        /// What it is for.
        kind: DocumentKind,
        /// What staff call it.
        title: String,
        /// The name it is handed out under.
        file_name: String,
        /// What it is, by its content.
        media_type: &'static str = document.file_kind.name(),
        /// How long it is.
        size_bytes: i64,
        /// BLAKE3 of the content, in hexadecimal.
        hash: String = blake3::Hash::from_bytes(document.hash).to_hex().to_string(),
        /// The account that filed it.
        #[serde(skip_serializing_if = "Option::is_none")]
        uploaded_by: Option<Uuid>,
        /// Name of who filed it.
        uploaded_by_name: String,
        /// When it was filed.
        created_at: Millis,
    }
}

/// A paper to file.
#[apply(request!)]
#[expect(dead_code, reason = "only the form of the multipart body, for the published document")]
pub struct UploadDocument {
    /// PDF, JPEG or PNG.
    #[schemars(extend("format" = "binary"))]
    file: String,
    /// What it is for; OTHER where absent.
    #[serde(default)]
    kind: Option<DocumentKind>,
    /// What staff call it; its file name where absent.
    #[serde(default)]
    #[schemars(length(max = 200))]
    title: Option<String>,
}

/// Files a paper. The employee is looked up before the body is read.
pub async fn upload_document(
    cx: Cx,
    State(frame): State<Frame>,
    Id(id): Id,
    request: Request,
) -> Result<Created<EmployeeDocument>> {
    let known = cx.read(move |conn, outlet| store::find(conn, outlet, id)).await?;
    known.ok_or(EmployeeError::NotFound("employee"))?;
    let upload = read_form(request, frame.bodies.document_limit_bytes).await?;
    cx.create(move |tx, actor| documents::file(tx, actor, id, &upload)).await
}

/// The parts of the form, as they came.
#[derive(Default)]
struct Form {
    file: Option<(String, Bytes)>,
    kind: Option<String>,
    title: Option<String>,
}

async fn read_form(request: Request, limit: usize) -> Result<Upload> {
    let kind = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let boundary = kind.and_then(|kind| multer::parse_boundary(kind).ok()).ok_or_else(|| {
        Problem::new(Code::UnsupportedMediaType).detail("Send multipart/form-data with a boundary")
    })?;
    // Read whole before it is parsed: it is held in memory anyway, and the limit is then one of the body, not of a part.
    let bytes = Limited::new(request.into_body(), limit).collect().await.map_err(|error| {
        let code = if error.is::<LengthLimitError>() { Code::PayloadTooLarge } else { Code::BadRequest };
        Problem::new(code).detail(format!("A document may have {limit} bytes"))
    })?;
    let body =
        futures_util::stream::once(std::future::ready(Ok::<_, std::convert::Infallible>(bytes.to_bytes())));
    let mut parts = multer::Multipart::new(body, boundary);
    let mut form = Form::default();
    while let Some(part) = parts.next_field().await.map_err(|error| unreadable(&error))? {
        let name = part.name().unwrap_or_default().to_owned();
        let given = part.file_name().unwrap_or_default().to_owned();
        match name.as_str() {
            "file" => form.file = Some((given, part.bytes().await.map_err(|error| unreadable(&error))?)),
            "kind" => form.kind = Some(part.text().await.map_err(|error| unreadable(&error))?),
            "title" => form.title = Some(part.text().await.map_err(|error| unreadable(&error))?),
            _ => {}
        }
    }
    checked(form)
}

fn unreadable(error: &multer::Error) -> Problem {
    tracing::debug!(%error, "a form could not be read");
    Problem::new(Code::BadRequest).detail("The form could not be read")
}

fn checked(form: Form) -> Result<Upload> {
    let mut checks = Checks::new();
    let (given_name, content) = form.file.unwrap_or_default();
    let file_kind = FileKind::of_content(&content);
    checks.require(file_kind.is_some(), "file", "must be a PDF, JPEG or PNG");
    let kind = form.kind.filter(|kind| !kind.is_empty());
    let kind = kind.map_or(Some(DocumentKind::default()), |kind| DocumentKind::of_name(&kind));
    checks.require(kind.is_some(), "kind", "must be CONTRACT, IDENTITY, CERTIFICATE, TAX or OTHER");
    let title = form
        .title
        .map(text::with_newlines)
        .map(|title| title.trim().to_owned())
        .filter(|title| !title.is_empty());
    let long = title.as_ref().is_some_and(|title| title.chars().count() > LONGEST_TITLE);
    checks.require(!long, "title", "must have at most 200 characters");
    checks.require(title.as_deref().is_none_or(text::is_clean), "title", NO_CONTROL);
    let (file_kind, kind) = (file_kind.unwrap_or(FileKind::Pdf), kind.unwrap_or_default());
    let upload = Upload { kind, title, given_name, file_kind, content: content.into() };
    checks.finish(upload).map_err(Problem::invalid)
}

/// Lists the papers of an employee.
pub async fn list_documents(
    cx: Cx,
    Id(id): Id,
    Query(paging): Query<Paging>,
) -> Result<Paged<EmployeeDocument>> {
    cx.list(paging, move |conn, outlet| -> Result<_, EmployeeError> {
        store::find(conn, outlet, id)?.ok_or(EmployeeError::NotFound("employee"))?;
        Ok(store::documents::list(conn, outlet, id, paging)?)
    })
    .await
}

/// Hands a paper out.
pub async fn download_document(cx: Cx, Path((employee, id)): Path<(Uuid, Uuid)>) -> Result<Response> {
    let (document, content) = cx
        .read(move |conn, outlet| -> Result<_, EmployeeError> {
            store::find(conn, outlet, employee)?.ok_or(EmployeeError::NotFound("employee"))?;
            let found = store::documents::find(conn, outlet, employee, id)?;
            let document = found.ok_or(EmployeeError::NoDocument)?;
            // A box that took over another's records has them without their contents at first.
            let content = store::documents::find_content(conn, id)?.ok_or(EmployeeError::NoContent)?;
            Ok((document, content))
        })
        .await?;
    let mut response = Response::new(Body::from(content));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(document.file_kind.name()));
    headers.insert(header::CONTENT_DISPOSITION, disposition(&document.file_name));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    Ok(response)
}

/// What needs no escape in such a name.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_');

/// `attachment` with the name: in ASCII for old clients, and as it is (RFC 8187).
fn disposition(name: &str) -> HeaderValue {
    let plain: String = name.chars().map(|c| if c.is_ascii() { c } else { '_' }).collect();
    let encoded = utf8_percent_encode(name, KEPT);
    let text = format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{encoded}");
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("attachment"))
}

/// Takes a paper out of the file.
pub async fn delete_document(
    cx: Cx,
    Path((employee, id)): Path<(Uuid, Uuid)>,
) -> Result<Updated<EmployeeDocument>> {
    cx.update(move |tx, actor| documents::take_out(tx, actor, employee, id)).await
}
