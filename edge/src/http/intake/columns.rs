//! What the columns of a file mean: the members of the published schema, and each cell as the JSON that its member wants. A cell that
//! does not fit stays text, for the check of the schema to name.

use crate::http::csv::unmarked;
use serde_json::{Map, Number, Value, json};
use tiffin_common::Quantity;

/// Where a column's cells go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Target {
    /// A member of the row.
    Member(String),
    /// A member of an object of the row: `position.x`.
    Within(String, String),
    /// A member of an element of a list of the row: `batches.quantity`. Each row of the file has one element.
    Element(String, String),
    /// A member of an entry of a map of the row: `texts.hi.name`.
    Entry(String, String, String),
}

/// What a cell is read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Word,
    Integer,
    Decimal,
    Truth,
    /// A list, of words or of texts.
    List {
        words: bool,
    },
    /// What only JSON can say.
    Json,
}

/// A column of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    /// Where its cells go.
    pub(super) target: Target,
    kind: Kind,
    nullable: bool,
    required: bool,
    /// Its cells are in major units of the currency, its member in cents.
    major: bool,
}

/// A published schema of an object.
#[derive(Clone, Copy)]
pub(super) struct Shape<'a> {
    root: &'a Value,
    schema: &'a Value,
}

impl<'a> Shape<'a> {
    pub(super) fn of(root: &'a Value) -> Shape<'a> {
        Shape { root, schema: root }
    }

    fn at(self, schema: &'a Value) -> Shape<'a> {
        Shape { schema, ..self }
    }

    /// What a reference leads to, and what may be null is when it is not.
    fn resolved(self) -> Shape<'a> {
        let mut now = self;
        loop {
            let pointer = now.schema.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix('#'));
            let inner = now.schema.get("anyOf").and_then(Value::as_array).and_then(|alternatives| {
                alternatives.iter().find(|one| one.get("type").is_none_or(|kind| kind != "null"))
            });
            match pointer.and_then(|pointer| now.root.pointer(pointer)).or(inner) {
                Some(next) => now = now.at(next),
                None => return now,
            }
        }
    }

    fn is(self, wanted: &str) -> bool {
        match self.schema.get("type") {
            Some(Value::String(one)) => one == wanted,
            Some(Value::Array(many)) => many.iter().any(|one| one == wanted),
            _ => false,
        }
    }

    fn is_nullable(self) -> bool {
        let alternatives = self.schema.get("anyOf").and_then(Value::as_array);
        self.is("null") || alternatives.is_some_and(|list| list.iter().any(|one| self.at(one).is("null")))
    }

    fn is_word(self) -> bool {
        self.schema.get("enum").is_some() || self.schema.get("oneOf").is_some()
    }

    /// The member whose name is `plain`, with its name.
    fn member(self, plain: &str) -> Option<(&'a str, Shape<'a>)> {
        let members = self.schema.get("properties")?.as_object()?;
        let found = members.iter().find(|(name, _)| name.to_ascii_lowercase() == plain)?;
        Some((found.0, self.at(found.1)))
    }

    fn requires(self, name: &str) -> bool {
        let required = self.schema.get("required").and_then(Value::as_array);
        required.is_some_and(|names| names.iter().any(|one| one == name))
    }

    fn kind(self) -> Kind {
        let shape = self.resolved();
        if shape.is_word() {
            return Kind::Word;
        }
        let element = shape.schema.get("items").map(|items| shape.at(items).resolved());
        match element {
            Some(element) if element.is_word() => Kind::List { words: true },
            Some(element) if element.is("string") => Kind::List { words: false },
            Some(_) => Kind::Json,
            None if shape.is("integer") => Kind::Integer,
            None if shape.is("number") => Kind::Decimal,
            None if shape.is("boolean") => Kind::Truth,
            None if shape.is("object") => Kind::Json,
            None => Kind::Text,
        }
    }

    /// The column of a member: of its own name, or of the name without `Cents`.
    fn column(self, plain: &str, target: impl FnOnce(String) -> Target) -> Option<Column> {
        let (found, major) = match self.member(plain) {
            Some(found) => (found, false),
            None => (self.member(&format!("{plain}cents"))?, true),
        };
        let (name, member) = found;
        let column = Column {
            target: target(name.to_owned()),
            kind: member.kind(),
            nullable: member.is_nullable(),
            required: self.requires(name),
            major,
        };
        Some(column)
    }

    /// The column that a header means, however it is written: `Price cents`, `price_cents`, `priceCents`.
    pub(super) fn header(self, header: &str) -> Option<Column> {
        let plain = |part: &str| -> String {
            part.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
        };
        let parts: Vec<&str> = header.split('.').map(str::trim).collect();
        match parts.as_slice() {
            [one] => self.column(&plain(one), Target::Member),
            [outer, inner] => {
                let (name, member) = self.member(&plain(outer))?;
                let member = member.resolved();
                if let Some(items) = member.schema.get("items") {
                    let element = member.at(items).resolved();
                    return element.column(&plain(inner), |inner| Target::Element(name.to_owned(), inner));
                }
                member.column(&plain(inner), |inner| Target::Within(name.to_owned(), inner))
            }
            [outer, key, inner] => {
                let (name, member) = self.member(&plain(outer))?;
                let entries = member.resolved();
                let entry = entries.at(entries.schema.get("additionalProperties")?).resolved();
                let target = |inner| Target::Entry(name.to_owned(), (*key).to_owned(), inner);
                entry.column(&plain(inner), target)
            }
            _ => None,
        }
    }

    /// Whether the object of that name may be null.
    pub(super) fn may_lack(self, name: &str) -> bool {
        self.member(&name.to_ascii_lowercase()).is_some_and(|(_, member)| member.is_nullable())
    }
}

/// How the cells of a file are written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// Decimals of the currency.
    pub(super) decimals: u32,
    /// A comma may stand before the decimals: it separates no cells.
    pub(super) comma: bool,
}

impl Column {
    /// The name of the member, for an object of its own.
    pub(super) fn name(&self) -> &str {
        match &self.target {
            Target::Member(name)
            | Target::Within(_, name)
            | Target::Element(_, name)
            | Target::Entry(_, _, name) => name,
        }
    }

    /// The cell as JSON. None: it says nothing.
    pub(super) fn value(&self, cell: &str, style: Style) -> Option<Value> {
        let cell = unmarked(cell.trim());
        if cell.is_empty() {
            let empty = (self.required && self.kind == Kind::Text).then(|| json!(""));
            return if self.nullable { Some(Value::Null) } else { empty };
        }
        let number = |text: String| text.parse::<Number>().ok().map(Value::Number);
        let read = match self.kind {
            Kind::Text => None,
            Kind::Word => Some(json!(word(cell))),
            Kind::Integer if self.major => cents(cell, style).map(|cents| json!(cents)),
            Kind::Integer => cell.parse::<i64>().ok().map(|n| json!(n)),
            Kind::Decimal => decimal(cell, style)
                .and_then(|q| {
                    if self.major { q.times(10_i64.checked_pow(style.decimals)?).ok() } else { Some(q) }
                })
                .and_then(|q| number(q.to_string())),
            Kind::Truth => truth(cell),
            Kind::List { .. } | Kind::Json if cell.starts_with(['[', '{']) => serde_json::from_str(cell).ok(),
            Kind::List { words } => {
                let parts = cell.split(';').map(str::trim).filter(|part| !part.is_empty());
                Some(parts.map(|part| if words { word(part) } else { part.to_owned() }).collect())
            }
            Kind::Json => None,
        };
        Some(read.unwrap_or_else(|| json!(cell)))
    }
}

fn word(cell: &str) -> String {
    cell.to_ascii_uppercase().replace(['-', ' '], "_")
}

fn truth(cell: &str) -> Option<Value> {
    match cell.to_ascii_lowercase().as_str() {
        "true" | "yes" | "1" => Some(json!(true)),
        "false" | "no" | "0" => Some(json!(false)),
        _ => None,
    }
}

fn decimal(cell: &str, style: Style) -> Option<Quantity> {
    let is_comma = style.comma && !cell.contains('.') && cell.matches(',').count() == 1;
    if is_comma { cell.replace(',', ".").parse().ok() } else { cell.parse().ok() }
}

/// `120.5` in the smallest unit of a currency.
fn cents(cell: &str, style: Style) -> Option<i64> {
    let millionths = decimal(cell, style)?.get();
    let smallest = 10_i64.checked_pow(6_u32.checked_sub(style.decimals)?)?;
    (millionths % smallest == 0).then_some(millionths / smallest)
}

/// Puts `value` where `target` says in `row`; an element's members are gathered in `element`.
pub(super) fn put(
    row: &mut Map<String, Value>,
    element: &mut Map<String, Value>,
    target: &Target,
    value: Value,
) {
    let object = |value: &mut Value| {
        if !value.is_object() {
            *value = json!({});
        }
    };
    match target {
        Target::Member(name) => drop(row.insert(name.clone(), value)),
        Target::Element(_, name) => drop(element.insert(name.clone(), value)),
        Target::Within(outer, name) => {
            let within = row.entry(outer.clone()).or_insert_with(|| json!({}));
            object(within);
            within[name.as_str()] = value;
        }
        Target::Entry(outer, key, name) => {
            let map = row.entry(outer.clone()).or_insert_with(|| json!({}));
            object(map);
            object(&mut map[key.as_str()]);
            map[key.as_str()][name.as_str()] = value;
        }
    }
}
