//! An answer: a text, the figures in it, and where they come from. Never a figure without its source.

use super::call::Call;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tiffin_common::Quantity;

/// A value of a fact or a table's cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Amount {
    /// Whole: amounts of money in cents, counts, minutes.
    Whole(i64),
    /// With decimals: quantities, percentages.
    Decimal(Quantity),
    /// A name, a date, a moment.
    Text(String),
}

/// A figure of an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fact {
    /// What it is.
    pub label: String,
    /// The figure itself, to compute with.
    pub value: Amount,
    /// Its unit: `cents`, `percent`, `minutes`, `orders`, `kg`, ….
    pub unit: String,
    /// The figure as the answer writes it.
    pub text: String,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Column {
    /// The column's heading, for a person.
    pub label: String,
    /// The unit of its values; absent for names.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unit: Option<String>,
}

/// Figures of many things.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Table {
    /// What the columns are.
    pub columns: Vec<Column>,
    /// The values, by column; null where there is none.
    pub rows: Vec<Vec<Option<Amount>>>,
}

/// A call whose answer the figures are from. Anybody who may ask it gets the same figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Source {
    /// The route that was called, without its prefix.
    pub endpoint: String,
    /// The parameters it was called with.
    pub params: Map<String, Value>,
    /// The status it answered; 403: the caller may not see this.
    pub status: u16,
}

impl Source {
    /// The source that `call` is.
    pub fn of(call: &Call, status: u16) -> Source {
        Source { endpoint: call.endpoint.clone(), params: call.params.clone(), status }
    }
}

/// Who put the answer into words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// This box.
    Local,
    /// The configured model.
    Remote,
}

/// Why the model's answer was not used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum FallbackReason {
    /// It took too long.
    Timeout,
    /// Nobody answered there.
    Unreachable,
    /// It answered with an error.
    Refused,
    /// Its answer could not be read.
    Malformed,
    /// Its answer was too long.
    TooLong,
    /// It asked for something that is no function it was given.
    UnknownTool,
    /// It called a function with arguments the function does not take.
    BadArguments,
    /// It never came to an end.
    TooManyRounds,
    /// It answered without looking anything up.
    NoFigures,
    /// It named a number that nothing it was given contains.
    UnverifiedFigure,
}

/// What the assistant found out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The answer in words.
    pub answer: String,
    /// The figures that the answer names.
    pub facts: Vec<Fact>,
    /// Figures of many things, where the question is about many.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub table: Option<Table>,
    /// The calls the figures are from.
    pub sources: Vec<Source>,
    /// Who put it into words.
    pub engine: Engine,
    /// Why the configured model did not.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub fallback_reason: Option<FallbackReason>,
}

/// The part of an answer that is made from replies.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Statement {
    /// In words.
    pub text: String,
    /// Its figures.
    pub facts: Vec<Fact>,
    /// Many figures.
    pub table: Option<Table>,
}

impl Statement {
    /// An answer in words alone.
    pub fn text(text: impl Into<String>) -> Statement {
        Statement { text: text.into(), ..Statement::default() }
    }

    /// The same with a figure.
    #[must_use]
    pub fn fact(mut self, fact: Fact) -> Statement {
        self.facts.push(fact);
        self
    }

    /// The same with figures.
    #[must_use]
    pub fn facts(mut self, facts: impl IntoIterator<Item = Fact>) -> Statement {
        self.facts.extend(facts);
        self
    }

    /// The same with a table, unless it has no rows.
    #[must_use]
    pub fn table(mut self, table: Table) -> Statement {
        self.table = Some(table).filter(|table| !table.rows.is_empty());
        self
    }
}

impl Table {
    /// An empty table with columns `(label, unit)`; an empty unit is none.
    pub fn new(columns: &[(&str, &str)]) -> Table {
        let column = |&(label, unit): &(&str, &str)| Column {
            label: label.to_owned(),
            unit: Some(unit).filter(|unit| !unit.is_empty()).map(str::to_owned),
        };
        Table { columns: columns.iter().map(column).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn push(&mut self, row: impl IntoIterator<Item = Option<Amount>>) {
        self.rows.push(row.into_iter().collect());
    }
}

/// A cell with a text.
pub fn cell(text: impl Into<String>) -> Option<Amount> {
    Some(Amount::Text(text.into()))
}

/// A cell with a whole number.
pub fn whole(number: i64) -> Option<Amount> {
    Some(Amount::Whole(number))
}

/// A cell with a quantity.
pub fn decimal(quantity: Quantity) -> Option<Amount> {
    Some(Amount::Decimal(quantity))
}
