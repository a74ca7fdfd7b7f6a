//! How long a page of orders takes as history grows. Never goes by what a list should cost: it looks.

use super::branch::Branch;
use super::report::median;
use edge::db::{Db, DbError, Env, Options, Tx};
use std::path::Path;
use std::time::Instant;
use tiffin_tests::Edge;

pub(super) async fn measure(folder: &Path) {
    super::build_program();
    let branch = Branch::make(&folder.join("branch")).await;
    branch.tills.connect(branch.edge.listen()).await.place(0).await;
    println!("orders in history   GET /orders ms   page 100 ms   status=PENDING ms");
    let (database, Branch { edge, owner, data, .. }) = (branch.database(), branch);
    drop(edge);
    for total in [10_000_i64, 100_000, 1_000_000] {
        let db = Db::open(&Options::new(database.clone()), Env::system()).unwrap();
        db.write(move |tx| grow(tx, total)).await.unwrap();
        drop(db);
        let edge = Edge::serve(&data, &[]).await;
        let client = owner.clone().at(edge.base());
        let time = async |path: &str| {
            let mut all = Vec::new();
            for _ in 0..21 {
                let begin = Instant::now();
                client.get(path).await.expect(200);
                all.push(begin.elapsed().as_secs_f64() * 1e3);
            }
            median(all.into_iter())
        };
        let (first, deep, status) =
            (time("/orders").await, time("/orders?page=100").await, time("/orders?status=PENDING").await);
        println!("{total:>17} {first:>16.2} {deep:>13.2} {status:>19.2}");
    }
}

/// Copies orders until there are `total`, on business dates of their own.
fn grow(tx: &Tx<'_>, total: i64) -> Result<(), DbError> {
    let columns: Vec<String> = {
        let mut statement = tx.prepare("SELECT name FROM pragma_table_info('orders')")?;
        statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?
    };
    let triggers: Vec<(String, String)> = {
        let mut statement =
            tx.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'orders'")?;
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?
    };
    for (name, sql) in triggers.iter().filter(|(_, sql)| sql.contains("tiffin_capture")) {
        assert!(!sql.is_empty());
        tx.execute_batch(&format!("DROP TRIGGER \"{name}\""))?;
    }
    let value = |column: &String| match column.as_str() {
        "id" => "randomblob(16)".to_owned(),
        "business_date" => "printf('%04d-%02d-%02d', 1000 + n / 336, 1 + n % 12, 1 + n % 28)".to_owned(),
        "token_number" => "1000000 + n".to_owned(),
        "created_at" => "created_at - n * 1000".to_owned(),
        "status" => "iif(n % 1000 = 0, 'PENDING', 'COMPLETED')".to_owned(),
        other => other.to_owned(),
    };
    let values: Vec<String> = columns.iter().map(value).collect();
    let sql = format!(
        "WITH RECURSIVE have(c) AS (SELECT count(*) FROM orders),
           numbers(n) AS (SELECT (SELECT c FROM have) + 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
         INSERT INTO orders ({}) SELECT {} FROM numbers, (SELECT * FROM orders ORDER BY created_at DESC LIMIT 1)",
        columns.join(", "),
        values.join(", ")
    );
    tx.execute(&sql, [total])?;
    for (_, sql) in &triggers {
        if sql.contains("tiffin_capture") {
            tx.execute_batch(sql)?;
        }
    }
    Ok(())
}
