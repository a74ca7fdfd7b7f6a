//! `/employees/{id}/documents` and `/employees/{id}/wages`.

use edge::access::Role;
use serde_json::json;
use tiffin_tests::{Branch, Client, Reply, UNKNOWN};

async fn hire(client: &Client) -> String {
    let body = json!({"name": "Meera Nair", "jobTitle": "Cook", "hourlyRateCents": 12_000});
    client.post("/employees", body).await.expect(201).data()["id"].as_str().unwrap().to_owned()
}

/// A form with a file and other fields.
fn form(file_name: &str, content: &[u8], fields: &[(&str, &str)]) -> Vec<u8> {
    let mut body = Vec::new();
    for (name, value) in fields {
        let part = format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        body.extend(part.into_bytes());
    }
    let head = format!(
        "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{file_name}\"\r\nContent-Type: text/html\r\n\r\n"
    );
    body.extend(head.into_bytes());
    body.extend_from_slice(content);
    body.extend_from_slice(b"\r\n--b--\r\n");
    body
}

async fn upload(client: &Client, employee: &str, body: Vec<u8>) -> Reply {
    client
        .post_raw(&format!("/employees/{employee}/documents"), "multipart/form-data; boundary=b", body)
        .await
}

#[tokio::test]
async fn a_paper_is_filed_handed_out_and_taken_out() {
    let branch = Branch::start().await;
    let manager = branch.sign_in(Role::Manager);
    let meera = hire(&manager).await;
    let content = [&b"%PDF-1.7\n"[..], &[0, 255, 13, 10, 45, 45]].concat();
    let fields = [("kind", "CONTRACT"), ("title", " Contract 2026 ")];
    let filed =
        upload(&manager, &meera, form("../Vertrag Müller.exe", &content, &fields)).await.expect(201).data();
    assert_eq!((&filed["kind"], &filed["title"]), (&json!("CONTRACT"), &json!("Contract 2026")));
    assert_eq!(
        (&filed["fileName"], &filed["mediaType"]),
        (&json!("Vertrag Müller.exe.pdf"), &json!("application/pdf"))
    );
    assert_eq!((&filed["sizeBytes"], filed["hash"].as_str().unwrap().len()), (&json!(15), 64));
    let id = filed["id"].as_str().unwrap();
    let list = manager.get(&format!("/employees/{meera}/documents")).await.expect(200).json();
    assert_eq!((&list["meta"]["total"], &list["data"][0]), (&json!(1), &filed));

    let paper = manager.get(&format!("/employees/{meera}/documents/{id}")).await.expect(200);
    assert_eq!(paper.bytes, content);
    assert_eq!(
        (paper.header("content-type"), paper.header("x-content-type-options")),
        ("application/pdf", "nosniff")
    );
    assert_eq!(
        paper.header("content-disposition"),
        "attachment; filename=\"Vertrag M_ller.exe.pdf\"; filename*=UTF-8''Vertrag%20M%C3%BCller.exe.pdf"
    );
    // Neither another employee's nor anybody's without the right.
    let other = hire(&manager).await;
    manager.get(&format!("/employees/{other}/documents/{id}")).await.refused(404, "NOT_FOUND");
    manager.get(&format!("/employees/{meera}/documents/{UNKNOWN}")).await.refused(404, "NOT_FOUND");
    branch
        .sign_in(Role::Waiter)
        .get(&format!("/employees/{meera}/documents/{id}"))
        .await
        .refused(403, "FORBIDDEN");

    manager.delete(&format!("/employees/{meera}/documents/{id}")).await.expect(200);
    manager.delete(&format!("/employees/{meera}/documents/{id}")).await.refused(404, "NOT_FOUND");
    assert_eq!(branch.number("SELECT count(*) FROM employee_document_contents").await, 0);
    let log = manager.get("/audit-log?entity=employee").await.json();
    let actions: Vec<_> =
        log["data"].as_array().unwrap().iter().map(|e| e["action"].as_str().unwrap()).collect();
    assert_eq!(actions[0], "employee.document_remove");
    assert!(actions.contains(&"employee.document_add"));
}

#[tokio::test]
async fn a_file_is_judged_by_its_content_alone() {
    let branch = Branch::start().await;
    let manager = branch.sign_in(Role::Manager);
    let meera = hire(&manager).await;
    let png = form("scan.jpg", b"\x89PNG\r\n\x1a\n\0\0", &[]);
    let filed = upload(&manager, &meera, png).await.expect(201).data();
    assert_eq!((&filed["mediaType"], &filed["fileName"]), (&json!("image/png"), &json!("scan.jpg.png")));
    assert_eq!((&filed["kind"], &filed["title"]), (&json!("OTHER"), &filed["fileName"]));
    let page = form("contract.pdf", b"<html><script>", &[("kind", "SPELL"), ("title", &"x".repeat(201))]);
    let refused = upload(&manager, &meera, page).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(refused.invalid_fields(), ["file", "kind", "title"]);
    let empty = upload(&manager, &meera, b"--b--\r\n".to_vec()).await.refused(422, "PAYLOAD_VALIDATION");
    assert_eq!(empty.invalid_fields(), ["file"]);
    upload(&manager, &meera, b"--b\r\nno form".to_vec()).await.refused(400, "BAD_REQUEST");
    manager
        .post(&format!("/employees/{meera}/documents"), json!({}))
        .await
        .refused(415, "UNSUPPORTED_MEDIA_TYPE");
    upload(&manager, UNKNOWN, Vec::new()).await.refused(404, "NOT_FOUND");
    assert_eq!(branch.number("SELECT count(*) FROM employee_documents").await, 1);
}

#[tokio::test]
async fn ten_mebibytes_are_taken_and_no_more() {
    let branch = Branch::start().await;
    let manager = branch.sign_in(Role::Manager);
    let meera = hire(&manager).await;
    let frame = form("a.pdf", b"%PDF-", &[]).len() - 5;
    let mut content = b"%PDF-".to_vec();
    content.resize(10 * 1024 * 1024 - frame, b'x');
    let filed = upload(&manager, &meera, form("a.pdf", &content, &[])).await.expect(201).data();
    assert_eq!(filed["sizeBytes"], content.len());
    content.push(b'x');
    upload(&manager, &meera, form("a.pdf", &content, &[])).await.refused(413, "PAYLOAD_TOO_LARGE");
}

#[tokio::test]
async fn a_repeated_upload_files_one_paper() {
    let branch = Branch::start().await;
    let manager = branch.sign_in(Role::Manager).with_header("Idempotency-Key", "paper-1");
    let meera = hire(&branch.sign_in(Role::Manager)).await;
    let body = form("a.pdf", b"%PDF-1.7", &[]);
    let first = upload(&manager, &meera, body.clone()).await.expect(201);
    let again = upload(&manager, &meera, body).await.expect(201);
    assert_eq!((again.json(), again.header("idempotency-replayed")), (first.json(), "true"));
    let other = form("b.pdf", b"%PDF-1.7", &[]);
    upload(&manager, &meera, other).await.refused(422, "IDEMPOTENCY_KEY_REUSED");
    assert_eq!(branch.number("SELECT count(*) FROM employee_documents").await, 1);
}

#[tokio::test]
async fn every_wage_can_be_looked_up() {
    let branch = Branch::start().await;
    let manager = branch.sign_in(Role::Manager);
    let meera = hire(&manager).await;
    branch.pass(60_000);
    manager.patch(&format!("/employees/{meera}"), json!({"hourlyRateCents": 15_000})).await.expect(200);
    let wages = manager.get(&format!("/employees/{meera}/wages")).await.expect(200).json();
    let rates: Vec<_> =
        wages["data"].as_array().unwrap().iter().map(|w| w["hourlyRateCents"].clone()).collect();
    assert_eq!((rates, &wages["meta"]["total"]), (vec![json!(15_000), json!(12_000)], &json!(2)));
    assert_eq!(wages["data"][0]["effectiveAt"], "2026-11-20T12:31:00.000Z");
    manager.get(&format!("/employees/{UNKNOWN}/wages")).await.refused(404, "NOT_FOUND");
}
