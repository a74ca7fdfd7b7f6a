//! Papers of the staff: what comes in parts comes out whole, for the outlet that sent it, and what is no part of one is refused.

use crate::ground::Ground;
use crate::log::{BEGIN, Log, delete, insert, new_id};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sync_hub::hub::HubError;
use tiffin_common::frame::Value;
use tiffin_common::sync::{PAPER_PART, PaperPart, PaperPlace};
use tiffin_common::{Millis, Uuid};

/// A paper that is no multiple of a part.
fn paper() -> Vec<u8> {
    (0..PAPER_PART as u32 * 2 + 77).map(|byte| (byte % 251) as u8).collect()
}

/// The branch files a paper of these bytes.
async fn filed(ground: &Ground, log: &mut Log, content: &[u8]) -> Uuid {
    let (employee, id, hash) = (new_id(), new_id(), *blake3::hash(content).as_bytes());
    let columns = [
        ("id", Value::Id(id)),
        ("outlet_id", Value::Id(ground.outlet)),
        ("employee_id", Value::Id(employee)),
        ("kind", Value::Text("CONTRACT")),
        ("title", Value::Text("Contract")),
        ("file_name", Value::Text("contract.pdf")),
        ("media_type", Value::Text("application/pdf")),
        ("size_bytes", Value::Integer(content.len() as i64)),
        ("hash", Value::Blob(&hash)),
        ("uploaded_by_name", Value::Text("Asha")),
        ("created_at", Value::Integer(BEGIN)),
    ];
    log.data(&[insert("employee_documents", &columns)]);
    log.drain(&ground.hub).await.unwrap();
    id
}

fn part(document: Uuid, offset: usize, content: &[u8]) -> PaperPart {
    PaperPart { document, offset: offset as i64, content: STANDARD.encode(content) }
}

/// Sends what head office lacks, as a box does.
async fn sent(ground: &Ground, document: Uuid, content: &[u8]) -> PaperPlace {
    let mut place = PaperPlace { document, offset: 0 };
    for chunk in content.chunks(PAPER_PART) {
        let next = part(document, place.offset as usize, chunk);
        place = ground.hub.take_paper(ground.outlet, next).await.unwrap();
    }
    place
}

async fn fetched(ground: &Ground, outlet: Uuid, document: Uuid) -> Result<Vec<u8>, HubError> {
    let mut held = Vec::new();
    loop {
        let place = PaperPlace { document, offset: held.len() as i64 };
        match ground.hub.paper_part(outlet, place).await {
            Ok(part) => held.extend(STANDARD.decode(part.content).unwrap()),
            Err(HubError::NotFound(_)) if !held.is_empty() => return Ok(held),
            Err(error) => return Err(error),
        }
    }
}

every_store! {
    async fn what_comes_in_parts_comes_out_whole(ground) {
        let mut log = Log::new(ground.outlet);
        assert_eq!(ground.hub.lacking_papers(ground.outlet).await.unwrap().newest, None);
        let content = paper();
        let document = filed(ground, &mut log, &content).await;
        let lacking = ground.hub.lacking_papers(ground.outlet).await.unwrap();
        assert_eq!((lacking.papers.as_slice(), lacking.newest), ([PaperPlace { document, offset: 0 }].as_slice(), Some(document)));

        let (first, rest) = content.split_at(PAPER_PART);
        let held = ground.hub.take_paper(ground.outlet, part(document, 0, first)).await.unwrap();
        assert_eq!(held.offset, PAPER_PART as i64);
        let told = ground.hub.lacking_papers(ground.outlet).await.unwrap().papers;
        assert_eq!(told, [held], "where to go on");
        assert!(fetched(ground, ground.outlet, document).await.is_err(), "half a paper is none");
        // An answer was lost, and a part comes again; another comes too soon.
        for offset in [0, PAPER_PART * 2] {
            let again = ground.hub.take_paper(ground.outlet, part(document, offset, first)).await.unwrap();
            assert_eq!(again, held);
        }
        for chunk in rest.chunks(PAPER_PART) {
            let at = ground.hub.lacking_papers(ground.outlet).await.unwrap().papers[0].offset;
            ground.hub.take_paper(ground.outlet, part(document, at as usize, chunk)).await.unwrap();
        }
        assert_eq!(ground.hub.lacking_papers(ground.outlet).await.unwrap().papers, []);
        assert_eq!(fetched(ground, ground.outlet, document).await.unwrap(), content);
    }

    async fn what_is_no_part_of_a_paper_is_refused(ground) {
        let mut log = Log::new(ground.outlet);
        let content = paper();
        let document = filed(ground, &mut log, &content).await;
        let take = |part| ground.hub.take_paper(ground.outlet, part);
        assert!(matches!(take(part(new_id(), 0, b"x")).await, Err(HubError::NotFound(_))));
        assert!(matches!(take(part(document, 0, b"")).await, Err(HubError::Invalid(_))));
        assert!(matches!(take(part(document, 0, &vec![0; PAPER_PART + 1])).await, Err(HubError::Invalid(_))));
        let no_base64 = PaperPart { document, offset: 0, content: "\u{1f4c4}".into() };
        assert!(matches!(take(no_base64).await, Err(HubError::Decode(_))));
        assert_eq!(ground.number("SELECT count(*) FROM hub_papers"), 0);

        // One that is whole and another than its row says begins anew.
        let mut other = content.clone();
        other[5] ^= 1;
        assert_eq!(sent(ground, document, &other).await.offset, 0);
        assert_eq!(ground.number("SELECT count(*) FROM hub_papers"), 0);
        assert_eq!(sent(ground, document, &content).await.offset, content.len() as i64);
        let more = take(part(document, content.len(), b"more")).await;
        assert!(matches!(more, Err(HubError::Invalid(_))), "{more:?}");
    }

    async fn a_paper_that_is_taken_out_goes_and_no_other_outlet_reads_one(ground) {
        let mut log = Log::new(ground.outlet);
        let content = paper();
        let [goes, stays] = [filed(ground, &mut log, &content).await, filed(ground, &mut log, &content).await];
        sent(ground, goes, &content).await;
        sent(ground, stays, &content).await;
        let other = new_id();
        ground.hub.stores().store().create_outlet(other).unwrap();
        assert!(matches!(fetched(ground, other, stays).await, Err(HubError::NotFound(_))));
        assert_eq!(ground.hub.lacking_papers(other).await.unwrap(), Default::default());

        log.data(&[delete("employee_documents", goes)]);
        log.drain(&ground.hub).await.unwrap();
        assert!(matches!(fetched(ground, ground.outlet, goes).await, Err(HubError::NotFound(_))));
        assert!(ground.hub.let_go(ground.outlet, Millis::new(0)).await.unwrap() > 0);
        assert_eq!(ground.number("SELECT count(*) FROM hub_papers"), 3, "one paper's parts");
        assert_eq!(fetched(ground, ground.outlet, stays).await.unwrap(), content);
    }
}
