//! The settings of an outlet by what they are about: which columns of its row, and where clients find them in an outlet. Data only;
//! what a setting may be is the branch's to say.

use super::rows::{Columns, RowChange};
use serde_json::{Map, Value};
use tiffin_common::registry::{Table, table_named};
use tiffin_common::words;

words! {
    /// What settings are about.
    #[schemars(rename = "SettingsGroup")]
    pub enum Group {
        /// What the restaurant is called, where it is, when its days and years begin.
        House = "HOUSE",
        /// Taxes, rounding, service charge.
        Tax = "TAX",
        /// What a till and who works at it may do.
        Till = "TILL",
        /// Guests' own orders, courses, orders for later, how long a guest is remembered.
        Guests = "GUESTS",
        /// Stock and deliveries.
        Store = "STORE",
        /// Attendance, shifts, overtime, rest and leave.
        Staff = "STAFF",
    }
}

/// The table of outlets.
pub const TABLE: &str = "outlets";

/// Columns that hold amounts in the outlet's currency.
const AMOUNTS: [&str; 3] = ["cash_rounding_cents", "pay_out_limit_cents", "till"];

/// Columns that an outlet keeps as they were made: its numbers, days and amounts hang on them.
#[cfg(test)]
const FIXED: [&str; 7] = ["id", "code", "timezone", "currency", "version", "created_at", "updated_at"];

/// Columns whose settings lie in another one: its name begins the column's.
const NESTED: [(&str, &str); 2] = [("service_charge_", "serviceCharge"), ("attendance_", "attendance")];

/// Columns that clients know by another name.
const RENAMED: [(&str, &str); 1] = [("leave_terms", "leave")];

impl Group {
    /// Its columns.
    pub fn columns(self) -> &'static [&'static str] {
        match self {
            Group::House => &[
                "name",
                "address",
                "phone",
                "licence_number",
                "business_day_starts_at",
                "fiscal_year_starts_on",
                "languages",
            ],
            Group::Tax => &[
                "tax_id",
                "tax_scheme",
                "country",
                "prices_include_tax",
                "cash_rounding_cents",
                "service_charge_bps",
                "service_charge_order_types",
                "service_charge_automatic",
                "service_charge_taxed",
            ],
            Group::Till => &[
                "waiters_take_payments",
                "approver_pin_min_digits",
                "void_grace_seconds",
                "discount_limit_bps",
                "pay_out_limit_cents",
                "blind_count",
                "till",
            ],
            Group::Guests => {
                &["qr_order_approval", "guest_data_days", "hold_courses", "schedule_lead_minutes"]
            }
            Group::Store => {
                &["stock_policy", "auto_availability", "quantity_tolerance_bps", "price_tolerance_bps"]
            }
            Group::Staff => &[
                "shift_times",
                "attendance_grace_minutes",
                "attendance_max_break_minutes",
                "overtime",
                "weekly_rest_days",
                "leave_terms",
            ],
        }
    }

    /// The group that a change of an outlet's row is of.
    pub fn of_change(change: &RowChange) -> Option<Group> {
        if change.table.name != TABLE {
            return None;
        }
        let names = |group: &&Group| group.columns().iter().any(|name| change.get(name).is_some());
        Group::ALL.iter().find(names).copied()
    }

    /// The group's part of an outlet as clients see it; with `only`, of these columns.
    pub fn pick(self, outlet: &Value, only: Option<&Columns>) -> Value {
        let Some(table) = table() else { return Value::Null };
        let mut picked = Map::new();
        for name in self.columns() {
            if only.is_some_and(|only| table.column(name).is_none_or(|number| !only.contains_key(&number))) {
                continue;
            }
            let (outer, inner) = path(name);
            match inner {
                None => drop(picked.insert(outer.clone(), outlet[&outer].clone())),
                Some(inner) => {
                    let nest = picked.entry(&outer).or_insert_with(|| Value::Object(Map::new()));
                    nest[&inner] = outlet[&outer][&inner].clone();
                }
            }
        }
        Value::Object(picked)
    }

    /// The columns that `given` names.
    ///
    /// # Errors
    /// The fields that are no settings of this group.
    pub fn named(self, given: &Map<String, Value>) -> Result<Vec<&'static str>, Vec<String>> {
        let mut others: Vec<String> = Vec::new();
        for (field, value) in given {
            let is_outer = |name: &&str| path(name) == (field.clone(), None);
            let inner = |key: &String| {
                self.columns().iter().any(|name| path(name) == (field.clone(), Some(key.clone())))
            };
            match value {
                _ if self.columns().iter().any(is_outer) => {}
                Value::Object(nest) if !nest.is_empty() => {
                    others.extend(nest.keys().filter(|key| !inner(key)).map(|key| format!("{field}.{key}")));
                }
                _ => others.push(field.clone()),
            }
        }
        if !others.is_empty() {
            return Err(others);
        }
        let is_named = |name: &&&str| match path(name) {
            (outer, None) => given.contains_key(&outer),
            (outer, Some(inner)) => given.get(&outer).is_some_and(|nest| nest.get(&inner).is_some()),
        };
        Ok(self.columns().iter().filter(is_named).copied().collect())
    }
}

/// Whether one of these columns holds amounts in the outlet's currency.
pub fn hold_amounts(columns: &[&str]) -> bool {
    columns.iter().any(|name| AMOUNTS.contains(name))
}

/// The table of outlets.
pub fn table() -> Option<&'static Table> {
    table_named(TABLE)
}

/// Where a column is found in an outlet as clients see it.
fn path(name: &str) -> (String, Option<String>) {
    if let Some((_, known)) = RENAMED.iter().find(|(column, _)| *column == name) {
        return ((*known).to_owned(), None);
    }
    for (start, outer) in NESTED {
        if let Some(rest) = name.strip_prefix(start) {
            return (outer.to_owned(), Some(camel(rest)));
        }
    }
    (camel(name), None)
}

fn camel(name: &str) -> String {
    let mut words = name.split('_');
    let mut text = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        text.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        text.push_str(letters.as_str());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::BTreeSet;

    #[test]
    fn every_setting_is_in_one_group() {
        let all: Vec<&str> = Group::ALL.iter().flat_map(|group| group.columns()).copied().collect();
        let grouped: BTreeSet<&str> = all.iter().copied().collect();
        assert_eq!(all.len(), grouped.len());
        let settings: BTreeSet<&str> = table()
            .unwrap()
            .live_columns()
            .map(|(_, name)| name)
            .filter(|name| !FIXED.contains(name))
            .collect();
        assert_eq!(grouped, settings);
    }

    #[test]
    fn a_change_names_its_columns_and_no_others() {
        let named = |group: Group, given: Value| group.named(given.as_object().unwrap());
        let tax = json!({"taxId": null, "serviceCharge": {"bps": 500}});
        assert_eq!(named(Group::Tax, tax).unwrap(), ["tax_id", "service_charge_bps"]);
        let attendance = json!({"attendance": {"graceMinutes": 5, "maxBreakMinutes": 60}});
        let columns = ["attendance_grace_minutes", "attendance_max_break_minutes"];
        assert_eq!(named(Group::Staff, attendance).unwrap(), columns);
        let wrong = json!({"blindCount": true, "timezone": "Asia/Kolkata", "serviceCharge": {"who": 1}, "serviceChargeBps": 5});
        let others = named(Group::Tax, wrong).unwrap_err();
        assert_eq!(others, ["blindCount", "serviceCharge.who", "serviceChargeBps", "timezone"]);
    }

    #[test]
    fn a_group_is_picked_out_of_an_outlet() {
        let outlet = json!({"holdCourses": true, "taxId": "1", "attendance": {"graceMinutes": 5, "maxBreakMinutes": 6}});
        let staff = Group::Staff.pick(&outlet, None);
        assert_eq!(staff["attendance"], outlet["attendance"]);
        let number = table().unwrap().column("hold_courses").unwrap();
        let only = Columns::from([(number, super::super::rows::Held::Integer(1))]);
        assert_eq!(Group::Guests.pick(&outlet, Some(&only)), json!({"holdCourses": true}));
    }
}
