//! `/menu/items/{id}/image`: a dish's own picture, from a manager's telephone to a guest's.

use edge::access::Role;
use serde_json::{Value, json};
use tiffin_tests::{Branch, Client, UNKNOWN, drawing};

async fn dish(owner: &Client) -> String {
    let category = owner.post("/menu/categories", json!({"name": "Mains"})).await.expect(201).data();
    let dish = json!({"categoryId": category["id"], "name": "Thali", "priceCents": 18_000});
    owner.post("/menu/items", dish).await.expect(201).data()["id"].as_str().unwrap().to_owned()
}

/// What leads to the picture, relative to the API.
fn address(item: &Value) -> String {
    item["imageUrl"].as_str().unwrap().strip_prefix("/api/v1").unwrap().to_owned()
}

#[tokio::test]
async fn a_dish_has_a_picture_that_anybody_may_see_in_two_sizes_and_keep() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let dish = dish(&owner).await;
    let before = owner.get("/menu").await;
    let png = drawing(1_600, 800);
    let shown =
        owner.put_raw(&format!("/menu/items/{dish}/image"), "image/png", png.clone()).await.expect(200);
    let item = shown.data();
    assert_eq!((&item["version"], &item["id"]), (&json!(2), &json!(dish)));
    // The menu says so to whoever keeps it.
    let menu =
        owner.clone().with_header("If-None-Match", before.header("etag")).get("/menu").await.expect(200);
    assert_eq!(menu.data()["categories"][0]["items"][0]["imageUrl"], item["imageUrl"]);

    let guest = branch.anonymous();
    let large = guest.get(&address(&item)).await.expect(200);
    assert_eq!(
        (large.header("content-type"), large.header("x-content-type-options")),
        ("image/jpeg", "nosniff")
    );
    assert_eq!(large.header("cache-control"), "public, max-age=31536000, immutable");
    let small = guest.get(&format!("{}&size=SMALL", address(&item))).await.expect(200);
    assert!(small.bytes.starts_with(&[0xff, 0xd8]) && small.bytes.len() < large.bytes.len());
    // Without its version, it is asked about each time.
    let bare = guest.get(&format!("/menu/items/{dish}/image")).await.expect(200);
    assert_eq!((bare.header("cache-control"), &bare.bytes), ("public, no-cache", &large.bytes));
    let again = guest.clone().with_header("If-None-Match", large.header("etag"));
    again.get(&format!("/menu/items/{dish}/image")).await.expect(304);
    again.get(&format!("/menu/items/{dish}/image?size=SMALL")).await.expect(200);

    // The same picture again is no change; another one has another address.
    let same = owner.put_raw(&format!("/menu/items/{dish}/image"), "image/png", png).await.expect(200).data();
    assert_eq!(same, item);
    let other =
        owner.put_raw(&format!("/menu/items/{dish}/image"), "image/png", drawing(90, 90)).await.data();
    assert_ne!(other["imageUrl"], item["imageUrl"]);
    let audited = owner.get("/audit-log?action=menu.item.image").await.json();
    assert_eq!(audited["meta"]["total"], 2);

    let gone = owner.delete(&format!("/menu/items/{dish}/image")).await.expect(200).data();
    assert_eq!(gone["imageUrl"], Value::Null);
    guest.get(&format!("/menu/items/{dish}/image")).await.refused(404, "NOT_FOUND");
    owner.delete(&format!("/menu/items/{dish}/image")).await.refused(404, "NOT_FOUND");
}

#[tokio::test]
async fn an_address_of_elsewhere_takes_the_place_of_ones_own() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let dish = dish(&owner).await;
    owner.put_raw(&format!("/menu/items/{dish}/image"), "image/png", drawing(90, 90)).await.expect(200);
    let renamed = owner.patch(&format!("/menu/items/{dish}"), json!({"name": "Thali (veg)"})).await.data();
    branch.anonymous().get(&address(&renamed)).await.expect(200);
    let elsewhere = json!({"imageUrl": "https://example.com/thali.jpg"});
    owner.patch(&format!("/menu/items/{dish}"), elsewhere).await.expect(200);
    branch.anonymous().get(&format!("/menu/items/{dish}/image")).await.refused(404, "NOT_FOUND");
}

#[tokio::test]
async fn what_is_no_picture_too_large_or_nobodys_is_refused_and_nothing_is_kept() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    let dish = dish(&owner).await;
    let path = format!("/menu/items/{dish}/image");
    // By its content, whatever it is called.
    for content in [
        &b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"[..],
        b"%PDF-1.7",
        b"",
        &drawing(90, 90)[..80],
    ] {
        let refused =
            owner.put_raw(&path, "image/png", content.to_vec()).await.refused(422, "PAYLOAD_VALIDATION");
        assert_eq!(refused.invalid_fields(), ["image"]);
    }
    owner.put_raw(&path, "text/html", drawing(9, 9)).await.refused(415, "UNSUPPORTED_MEDIA_TYPE");
    owner.put_raw(&path, "image/png", vec![0; (5 << 20) + 1]).await.refused(413, "PAYLOAD_TOO_LARGE");
    let nobodys = format!("/menu/items/{UNKNOWN}/image");
    owner.put_raw(&nobodys, "image/png", drawing(9, 9)).await.refused(404, "NOT_FOUND");
    let waiter = branch.sign_in(Role::Waiter);
    waiter.put_raw(&path, "image/png", drawing(9, 9)).await.refused(403, "FORBIDDEN");
    waiter.delete(&path).await.refused(403, "FORBIDDEN");
    branch.anonymous().get(&path).await.refused(404, "NOT_FOUND");
    assert_eq!(owner.get(&format!("/menu/items/{dish}")).await.data()["version"], 1);
}
