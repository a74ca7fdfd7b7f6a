//! The files of a first day, large as they are: each of twenty mistakes in each of them is named by row and column, nothing is half done,
//! and without them each is taken in by one call.

use crate::imports::{complaints, take, traces};
use edge::access::Role;
use serde_json::json;
use tiffin_tests::{Branch, Client};

/// The cells of the records of a file, by line, and what is wrong with them.
struct File {
    path: &'static str,
    header: &'static str,
    /// Each record's lines, each line's cells.
    records: Vec<Vec<Vec<String>>>,
}

/// A mistake: in which of the record's lines, in which column, what stands there.
type Mistake = (usize, &'static str, &'static str);

impl File {
    fn columns(&self) -> Vec<&'static str> {
        self.header.split(',').collect()
    }

    fn text(&self) -> String {
        let lines = self.records.iter().flatten().map(|cells| cells.join(","));
        std::iter::once(self.header.to_owned()).chain(lines).map(|line| line + "\n").collect()
    }

    /// The same with twenty mistakes, of these kinds in turn and far from each other; and how each is named.
    fn planted(&self, kinds: &[Mistake]) -> (String, Vec<String>) {
        let columns = self.columns();
        let mut wrong = File { records: self.records.clone(), ..*self };
        let apart = self.records.len() / 20;
        let named = (0..20).map(|number| {
            let (line, column, cell) = kinds[number % kinds.len()];
            let record = number * apart;
            let place = columns.iter().position(|one| *one == column).unwrap();
            cell.clone_into(&mut wrong.records[record][line][place]);
            let before: usize = self.records[..record].iter().map(Vec::len).sum();
            format!("rows[{}].{column}", 2 + before + line)
        });
        let mut named: Vec<String> = named.collect();
        named.sort_unstable();
        (wrong.text(), named)
    }

    async fn refused_then_taken(&self, branch: &Branch, owner: &Client, kinds: &[Mistake]) {
        let (wrong, named) = self.planted(kinds);
        let before = traces(branch).await;
        for path in [format!("{}?dryRun=true", self.path), self.path.to_owned()] {
            let mut found = complaints(owner, &path, &*wrong).await;
            found.sort_unstable();
            assert_eq!(found, named, "{path}");
        }
        assert_eq!(traces(branch).await, before, "{}: nothing is half done", self.path);
        let done = take(owner, self.path, self.text()).await;
        assert_eq!(done["rows"], json!(self.records.len()), "{done}");
    }
}

fn cells(line: String) -> Vec<String> {
    line.split(',').map(str::to_owned).collect()
}

fn dishes() -> File {
    let record = |number: usize| {
        let chapter = number / 40;
        vec![cells(format!("Chapter {chapter},Dish {number},D-{number},16000,VEG,1,Hot,"))]
    };
    File {
        path: "/menu/import",
        header: "category,name,sku,priceCents,dietary,course,station,taxCategory",
        records: (0..600).map(record).collect(),
    }
}

fn stock() -> File {
    let record = |number: usize| {
        let shelf = number / 40;
        vec![
            cells(format!("Item {number},Shelf {shelf},kg,S-{number},1.5,,20,A,2027-01-31")),
            cells(",,,,,,10,B,2027-02-28".to_owned()),
        ]
    };
    File {
        path: "/inventory/items/import",
        header: "name,category,unit,sku,minStockThreshold,supplier,batches.quantity,batches.batchNumber,batches.expiryDate",
        records: (0..400).map(record).collect(),
    }
}

fn recipes() -> File {
    let record = |number: usize| {
        let more = (1..4).map(|n| cells(format!(",S-{},{},g", (number + n * 7) % 400, n * 10)));
        std::iter::once(cells(format!("D-{number},S-{number},120,g"))).chain(more).collect()
    };
    File {
        path: "/inventory/recipes/import",
        header: "dish,ingredients.item,ingredients.quantity,ingredients.unit",
        records: (0..300).map(record).collect(),
    }
}

#[tokio::test]
async fn twenty_mistakes_in_each_large_file_are_named_and_without_them_each_is_taken_in_at_once() {
    let branch = Branch::start().await;
    let owner = branch.sign_in(Role::Owner);
    owner.post("/kitchen/stations", json!({"name": "Hot"})).await.expect(201);
    let of_dishes = [
        (0, "priceCents", "free"),
        (0, "dietary", "LEAVES"),
        (0, "course", "99"),
        (0, "station", "Cellar"),
        (0, "taxCategory", "Nothing"),
        (0, "name", ""),
    ];
    dishes().refused_then_taken(&branch, &owner, &of_dishes).await;
    let of_stock = [
        (0, "batches.quantity", "-1"),
        (1, "batches.quantity", "some"),
        (1, "batches.expiryDate", "tomorrow"),
        (0, "minStockThreshold", "some"),
        (0, "category", ""),
        (0, "supplier", "Nobody"),
    ];
    stock().refused_then_taken(&branch, &owner, &of_stock).await;
    let of_recipes = [
        (0, "dish", "Nothing"),
        (2, "ingredients.item", "Nothing"),
        (3, "ingredients.quantity", "much"),
        (1, "ingredients.unit", "crate"),
    ];
    recipes().refused_then_taken(&branch, &owner, &of_recipes).await;
    assert_eq!(branch.number("SELECT count(*) FROM stock_batches").await, 800);
    assert_eq!(branch.number("SELECT count(*) FROM recipe_ingredients").await, 1_200);
}
