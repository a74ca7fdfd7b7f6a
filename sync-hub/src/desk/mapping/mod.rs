//! What a publication means at one outlet: the same dishes under the outlet's own ids. A row that comes for the first time is recognised
//! by its name, sku, code or email where the outlet has it already, and gets an id of its own otherwise; what it names is
//! brought along. Never touches what is the outlet's own, never brings back what the outlet has archived.

mod terms;

pub use terms::{Link, Lookup, Mapped, Outcome, derived};

use super::catalogue::{Catalogue, is_live};
use super::parts::{self, KEPT_APART, PARTS, Part};
use super::rows::{Columns, Held, RowChange};
use std::collections::{BTreeSet, HashMap, HashSet};
use tiffin_common::frame::OpKind;
use tiffin_common::registry::Table;
use tiffin_common::{Millis, Uuid};

/// Maps one publication.
pub struct Mapping<'a, P: Lookup> {
    catalogue: &'a Catalogue,
    place: &'a P,
    /// When the publication takes effect, if later.
    from: Option<Millis>,
    links: HashMap<(u16, Uuid), Option<Link>>,
    /// Rows of the outlet that were tied in this mapping.
    taken: HashSet<(u16, Uuid)>,
    underway: HashSet<(u16, Uuid)>,
    /// Recipes whose ingredients are to be exactly the catalogue's.
    recipes: BTreeSet<Uuid>,
    out: Outcome,
}

impl<'a, P: Lookup> Mapping<'a, P> {
    /// Maps from `catalogue` as of the publication, which takes effect at `from` or at once.
    pub fn new(catalogue: &'a Catalogue, place: &'a P, from: Option<Millis>) -> Self {
        Mapping {
            catalogue,
            place,
            from,
            links: HashMap::new(),
            taken: HashSet::new(),
            underway: HashSet::new(),
            recipes: BTreeSet::new(),
            out: Outcome::default(),
        }
    }

    /// Maps `changes` of the catalogue.
    pub fn changes(mut self, changes: &[RowChange]) -> Result<Outcome, P::Error> {
        for change in changes {
            let Some(part) = parts::part(change.table) else { continue };
            if part.name == "recipe_ingredients" {
                self.touched(change);
            }
            match change.kind {
                OpKind::Insert => drop(self.bring(part, change.table, change.id)?),
                OpKind::Update => self.update(part, change)?,
                OpKind::Delete => self.delete(change)?,
            }
        }
        self.finish()
    }

    /// Maps every live row of the catalogue; those about people only where `people`.
    pub fn everything(mut self, people: bool) -> Result<Outcome, P::Error> {
        for part in PARTS.iter().filter(|part| people || !part.people) {
            let Some(table) = part.table() else { continue };
            for id in self.catalogue.all(table) {
                let Some(columns) = self.catalogue.get(table, id).filter(|row| is_live(table, row)) else {
                    continue;
                };
                match self.link(table, id)? {
                    None => drop(self.bring(part, table, id)?),
                    Some(link) => self.renew(part, table, columns, &link)?,
                }
                if part.name == "recipes" {
                    self.recipes.insert(id);
                }
            }
        }
        self.finish()
    }

    /// Ingredients that the catalogue's recipe does not have go: they would be taken out of stock beside the new ones.
    fn finish(mut self) -> Result<Outcome, P::Error> {
        let (Some(recipes), Some(table)) =
            (parts::part_named("recipes").and_then(Part::table), parts::part_named("recipe_ingredients"))
        else {
            return Ok(self.out);
        };
        let Some(ingredients) = table.table() else { return Ok(self.out) };
        for recipe in std::mem::take(&mut self.recipes) {
            let Some(link) = self.link(recipes, recipe)? else { continue };
            let mut wanted = HashSet::new();
            for id in self.catalogue.named(table, "recipe_id", recipe).to_vec() {
                wanted.extend(self.link(ingredients, id)?.map(|link| link.row_id));
            }
            let found = self.place.alike(ingredients, &[("recipe_id", Held::Id(link.row_id))], true)?;
            for id in found.into_iter().filter(|id| !wanted.contains(id)) {
                let gone = |made: &Mapped| made.change.id == id && made.change.kind == OpKind::Delete;
                if !self.out.changes.iter().any(gone) {
                    self.emit(ingredients, OpKind::Delete, id, Columns::new(), link.from);
                }
            }
        }
        Ok(self.out)
    }

    fn touched(&mut self, change: &RowChange) {
        let named = change.get("recipe_id").and_then(Held::id);
        let known = || {
            let column = change.table.column("recipe_id")?;
            self.catalogue.get(change.table, change.id)?.get(&column)?.id()
        };
        if let Some(recipe) = named.or_else(known) {
            self.recipes.insert(recipe);
        }
    }

    fn link(&mut self, table: &'static Table, id: Uuid) -> Result<Option<Link>, P::Error> {
        if let Some(link) = self.links.get(&(table.no, id)) {
            return Ok(link.clone());
        }
        let link = self.place.link(table, id)?;
        self.links.insert((table.no, id), link.clone());
        Ok(link)
    }

    /// The outlet's row for a row of the catalogue, which is brought when it is not there yet; none when the catalogue has none.
    fn bring(
        &mut self,
        part: &'static Part,
        table: &'static Table,
        id: Uuid,
    ) -> Result<Option<Uuid>, P::Error> {
        if let Some(link) = self.link(table, id)? {
            return Ok(Some(link.row_id));
        }
        let Some(columns) = self.catalogue.get(table, id) else { return Ok(None) };
        if !self.has_known(part, table, columns)? || !self.underway.insert((table.no, id)) {
            return Ok(None);
        }
        let mut mapped = self.mapped(part, table, columns)?;
        let known = self.recognised(part, table, &mapped)?;
        let (row_id, from) = match known {
            Some(row_id) => (row_id, None),
            None => (derived(self.place.outlet(), table.no, id), self.from),
        };
        let link = Link { table: table.no, catalogue_id: id, row_id, from };
        self.links.insert((table.no, id), Some(link.clone()));
        self.taken.insert((table.no, row_id));
        self.out.links.push(link.clone());
        if known.is_some() {
            let columns: Columns =
                mapped.into_iter().filter(|(column, _)| !is_first(part, table, *column)).collect();
            self.differing(table, &link, columns)?;
            if part.name == "recipes" {
                self.recipes.insert(id);
            }
        } else {
            self.spell_code(table, row_id, &mut mapped)?;
            let outlet = table.column("outlet_id").map(|c| (c, Held::Id(self.place.outlet())));
            let version = table.column("version").map(|c| (c, Held::Integer(1)));
            mapped.extend(outlet.into_iter().chain(version));
            mapped.retain(|_, value| *value != Held::Null);
            self.emit(table, OpKind::Insert, row_id, mapped, from);
        }
        self.bring_children(part, id)?;
        Ok(Some(row_id))
    }

    /// Whether the outlet has what a row of `part` is about, where that is not brought for its sake.
    fn has_known(
        &mut self,
        part: &'static Part,
        table: &'static Table,
        columns: &Columns,
    ) -> Result<bool, P::Error> {
        for name in part.known {
            let named = table.column(name).and_then(|column| columns.get(&column)?.id());
            let target = part.named_by(name).and_then(Part::table);
            if let (Some(id), Some(target)) = (named, target)
                && self.link(target, id)?.is_none()
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn bring_children(&mut self, part: &'static Part, id: Uuid) -> Result<(), P::Error> {
        for (child, column) in parts::children(part) {
            let Some(table) = child.table() else { continue };
            for row in self.catalogue.named(child, column, id).to_vec() {
                if self.catalogue.get(table, row).is_some_and(|columns| is_live(table, columns)) {
                    self.bring(child, table, row)?;
                }
            }
        }
        Ok(())
    }

    fn update(&mut self, part: &'static Part, change: &RowChange) -> Result<(), P::Error> {
        let Some(link) = self.link(change.table, change.id)? else {
            return self.bring(part, change.table, change.id).map(drop);
        };
        let mut columns = self.mapped(part, change.table, &change.columns)?;
        self.spell_code(change.table, link.row_id, &mut columns)?;
        if !columns.is_empty() {
            let from = self.from.max(link.from);
            self.emit(change.table, OpKind::Update, link.row_id, columns, from);
        }
        Ok(())
    }

    fn delete(&mut self, change: &RowChange) -> Result<(), P::Error> {
        if let Some(link) = self.link(change.table, change.id)? {
            let from = self.from.max(link.from);
            self.emit(change.table, OpKind::Delete, link.row_id, Columns::new(), from);
        }
        Ok(())
    }

    /// Makes a row that is tied already like the catalogue's, unless the outlet has archived it.
    fn renew(
        &mut self,
        part: &'static Part,
        table: &'static Table,
        columns: &Columns,
        link: &Link,
    ) -> Result<(), P::Error> {
        let mapped = self.mapped(part, table, columns)?;
        let kept = mapped.into_iter().filter(|(column, _)| !is_first(part, table, *column)).collect();
        self.differing(table, link, kept)
    }

    /// An update of those of `columns` that the outlet's row has otherwise.
    fn differing(
        &mut self,
        table: &'static Table,
        link: &Link,
        mut columns: Columns,
    ) -> Result<(), P::Error> {
        let Some(present) = self.place.row(table, link.row_id)? else { return Ok(()) };
        if !is_live(table, &present) {
            return Ok(());
        }
        let stamps = ["created_at", "updated_at"].map(|name| table.column(name));
        columns.retain(|column, value| {
            !stamps.contains(&Some(*column)) && present.get(column).unwrap_or(&Held::Null) != value
        });
        if !columns.is_empty() {
            let from = self.from.max(link.from);
            self.emit(table, OpKind::Update, link.row_id, columns, from);
        }
        Ok(())
    }

    /// `columns` of the catalogue with the outlet's ids in them, without what is the outlet's own.
    fn mapped(
        &mut self,
        part: &'static Part,
        table: &'static Table,
        columns: &Columns,
    ) -> Result<Columns, P::Error> {
        let mut mapped = Columns::new();
        for (number, value) in columns {
            let Some(name) = table.columns.get(*number).copied() else { continue };
            if KEPT_APART.contains(&name) || part.own.contains(&name) {
                continue;
            }
            let value = match (part.named_by(name), value.id()) {
                (Some(target), Some(id)) => {
                    let brought = match target.table() {
                        Some(table) => self.bring(target, table, id)?,
                        None => None,
                    };
                    brought.map_or(Held::Null, Held::Id)
                }
                // A wage that is published for later holds from then on.
                _ if name == "effective_at" => {
                    self.from.map_or_else(|| value.clone(), |from| Held::Integer(from.get()))
                }
                _ => value.clone(),
            };
            mapped.insert(*number, value);
        }
        Ok(mapped)
    }

    /// The outlet's row that is the same thing, made there before head office published it.
    fn recognised(
        &mut self,
        part: &'static Part,
        table: &'static Table,
        mapped: &Columns,
    ) -> Result<Option<Uuid>, P::Error> {
        let outlet = Held::Id(self.place.outlet());
        let value = |name: &str| match table.column(name).and_then(|column| mapped.get(&column)) {
            _ if name == "outlet_id" => Some(outlet.clone()),
            Some(Held::Null) | None => None,
            Some(value) => Some(value.clone()),
        };
        for names in part.alike {
            let values: Option<Vec<_>> = names.iter().map(|name| Some((*name, value(name)?))).collect();
            let Some(values) = values else { continue };
            let mut free = Vec::new();
            for id in self.place.alike(table, &values, false)? {
                if !self.taken.contains(&(table.no, id)) && !self.place.is_linked(table, id)? {
                    free.push(id);
                }
            }
            if let [one] = free[..] {
                return Ok(Some(one));
            }
        }
        Ok(None)
    }

    /// Codes are given out by each outlet: one that somebody else has there is spelled with a prefix.
    fn spell_code(
        &mut self,
        table: &'static Table,
        row_id: Uuid,
        columns: &mut Columns,
    ) -> Result<(), P::Error> {
        if table.name != "employees" {
            return Ok(());
        }
        let Some(column) = table.column("employee_code") else { return Ok(()) };
        let Some(Held::Text(code)) = columns.get(&column).cloned() else { return Ok(()) };
        let mut spelled = code.clone();
        for attempt in 1..100 {
            let holders = self.place.alike(table, &[("employee_code", Held::Text(spelled.clone()))], true)?;
            if holders.iter().all(|holder| *holder == row_id) {
                break;
            }
            spelled = if attempt == 1 { format!("HQ-{code}") } else { format!("HQ{attempt}-{code}") };
        }
        columns.insert(column, Held::Text(spelled));
        Ok(())
    }

    fn emit(
        &mut self,
        table: &'static Table,
        kind: OpKind,
        id: Uuid,
        columns: Columns,
        from: Option<Millis>,
    ) {
        self.out.changes.push(Mapped { change: RowChange { table, kind, id, columns }, from });
    }
}

fn is_first(part: &Part, table: &Table, column: usize) -> bool {
    table.columns.get(column).is_some_and(|name| part.first.contains(name))
}

#[cfg(test)]
mod tests;
