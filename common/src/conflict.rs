//! What happens when a branch and head office changed the same shared row without knowing of each other: which columns belong
//! together, and whose value stays. Pure; never knows how rows are kept. The loser is always kept too (`hub_conflicts`).
//!
//! Columns that are not listed are a group each, of the rule [`Policy::Latest`]. Bookkeeping (`id`, `outlet_id`, `version`,
//! `created_at`, `updated_at`) is in no group: it follows from the rest.

use crate::Hlc;
use crate::registry::Table;

crate::words! {
    /// Whose value stays.
    pub enum Policy {
        /// Head office's: prices, taxes, wages, accounts and what they may do.
        HeadOffice = "HQ_WINS",
        /// The branch's: what only those on the spot know (hours of availability, layout of screens, kitchen, stock levels, PINs).
        Branch = "BRANCH_WINS",
        /// That of the later edit by the logical clock, head office's where both are equal: names, texts, telephone numbers.
        Latest = "LATEST_HLC",
        /// Whichever side took the row out of use: what is deleted stays deleted.
        Deleted = "DELETED_WINS",
    }
}

/// Columns of a table that are decided together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Group {
    /// Its name, distinct within a table.
    pub name: &'static str,
    /// The rule.
    pub policy: Policy,
}

/// The group of a row as a whole: what an insert sets, and what a delete takes.
pub const ROW: &str = "ROW";

const BOOKKEEPING: [&str; 5] = ["id", "outlet_id", "version", "created_at", "updated_at"];

type Rule = (&'static str, Policy, &'static [(&'static str, &'static [&'static str])]);

/// Group, rule, and the columns by table.
const RULES: &[Rule] = &[
    (
        "price",
        Policy::HeadOffice,
        &[
            ("menu_items", &["price_cents"]),
            ("modifier_options", &["price_cents"]),
            (
                "price_lists",
                &[
                    "priority",
                    "order_types",
                    "areas",
                    "days",
                    "hours_from",
                    "hours_to",
                    "starts_on",
                    "ends_on",
                ],
            ),
            (
                "price_list_entries",
                &["price_list_id", "menu_item_id", "category_id", "price_cents", "adjust_bps"],
            ),
        ],
    ),
    (
        "tax",
        Policy::HeadOffice,
        &[
            ("menu_items", &["tax_category_id", "hsn_sac"]),
            ("tax_categories", &["name", "components", "is_goods"]),
            (
                "outlets",
                &[
                    "tax_id",
                    "licence_number",
                    "tax_scheme",
                    "country",
                    "prices_include_tax",
                    "service_charge_bps",
                    "service_charge_order_types",
                    "service_charge_automatic",
                    "service_charge_taxed",
                    "cash_rounding_cents",
                    "fiscal_year_starts_on",
                ],
            ),
        ],
    ),
    (
        "identity",
        Policy::HeadOffice,
        &[("outlets", &["code", "timezone", "currency"]), ("accounts", &["email"])],
    ),
    (
        "permissions",
        Policy::HeadOffice,
        &[
            ("accounts", &["role", "employee_id", "is_active", "channel_ids"]),
            ("account_outlets", &["account_id", "position"]),
            ("outlets", &["discount_limit_bps"]),
        ],
    ),
    (
        "wage",
        Policy::HeadOffice,
        &[
            ("employees", &["hourly_rate_cents", "pay_basis", "monthly_salary_cents", "day_minutes"]),
            (
                "employee_wages",
                &[
                    "employee_id",
                    "hourly_rate_cents",
                    "pay_basis",
                    "monthly_salary_cents",
                    "effective_at",
                    "set_by",
                ],
            ),
            ("outlets", &["overtime", "weekly_rest_days", "leave_terms"]),
        ],
    ),
    (
        "employment",
        Policy::HeadOffice,
        &[("employees", &["employment_type", "hired_on", "ended_on", "status"])],
    ),
    ("pin", Policy::Branch, &[("employees", &["pin_hash"])]),
    (
        "availability",
        Policy::Branch,
        &[
            ("menu_items", &["available_from", "available_to", "available_days", "more_windows"]),
            ("menu_categories", &["windows"]),
            // Which channels there are, each outlet knows for itself.
            ("price_lists", &["channel_ids"]),
        ],
    ),
    (
        "layout",
        Policy::Branch,
        &[
            ("menu_categories", &["sort_order"]),
            ("menu_items", &["sort_order"]),
            ("modifier_options", &["sort_order"]),
            ("menu_item_modifier_groups", &["sort_order"]),
            ("combo_components", &["sort_order"]),
            ("combo_options", &["sort_order"]),
            ("recipe_ingredients", &["sort_order"]),
            ("price_list_entries", &["sort_order"]),
        ],
    ),
    (
        "kitchen",
        Policy::Branch,
        &[
            ("menu_items", &["kitchen_name", "station_id", "course", "prep_minutes"]),
            ("employees", &["station"]),
        ],
    ),
    ("stock level", Policy::Branch, &[("stock_items", &["rotation", "min_stock_threshold", "par_level"])]),
    (
        "local",
        Policy::Branch,
        &[(
            "outlets",
            &[
                "business_day_starts_at",
                "stock_policy",
                "qr_order_approval",
                "attendance_grace_minutes",
                "attendance_max_break_minutes",
                "shift_times",
                "auto_availability",
                "approver_pin_min_digits",
                "void_grace_seconds",
                "blind_count",
                "pay_out_limit_cents",
                "guest_data_days",
                "hold_courses",
                "schedule_lead_minutes",
                "waiters_take_payments",
                "till",
                "quantity_tolerance_bps",
                "price_tolerance_bps",
            ],
        )],
    ),
    (
        "ingredient",
        Policy::Latest,
        &[("recipe_ingredients", &["stock_item_id", "sub_recipe_id", "quantity", "unit"])],
    ),
    (
        "selections",
        Policy::Latest,
        &[
            ("modifier_groups", &["min_selections", "max_selections"]),
            ("combo_components", &["min_selections", "max_selections"]),
        ],
    ),
];

/// The group that `column` (by number) of `table` belongs to; none for bookkeeping and for what the table does not have.
pub fn group(table: &Table, column: usize) -> Option<Group> {
    let name = *table.columns.get(column)?;
    if BOOKKEEPING.contains(&name) {
        return None;
    }
    if name == "archived_at" {
        return Some(Group { name, policy: Policy::Deleted });
    }
    let has = |columns: &[(&str, &[&str])]| {
        columns.iter().any(|(on, columns)| *on == table.name && columns.contains(&name))
    };
    let rule = RULES.iter().find(|(_, _, columns)| has(columns));
    Some(
        rule.map_or(Group { name, policy: Policy::Latest }, |(name, policy, _)| Group {
            name,
            policy: *policy,
        }),
    )
}

/// One of two edits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Side {
    /// When, by the logical clock.
    pub hlc: Hlc,
    /// Whether it takes the row out of use.
    pub deletes: bool,
}

/// Whether the branch's edit stays.
pub fn branch_wins(policy: Policy, head_office: Side, branch: Side) -> bool {
    match policy {
        Policy::HeadOffice => false,
        Policy::Branch => true,
        Policy::Latest => branch.hlc > head_office.hlc,
        Policy::Deleted => branch.deletes && !head_office.deletes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{Owner, TABLES, table_named};

    #[test]
    fn every_rule_names_columns_of_shared_tables() {
        for (group, _, tables) in RULES {
            for (name, columns) in *tables {
                let table = table_named(name).unwrap_or_else(|| panic!("{group} names {name}"));
                assert_eq!(table.owner, Owner::Shared, "{name}");
                for column in *columns {
                    assert!(table.columns.contains(column), "{group}: {name} has no {column}");
                }
            }
        }
    }

    #[test]
    fn a_column_is_in_one_group_and_bookkeeping_in_none() {
        for table in TABLES.iter().filter(|table| table.owner == Owner::Shared) {
            for (column, name) in table.live_columns() {
                let rules = RULES.iter().filter(|(_, _, on)| {
                    on.iter().any(|(at, names)| *at == table.name && names.contains(&name))
                });
                assert!(rules.count() <= 1, "{}.{name}", table.name);
                assert_eq!(
                    group(table, column).is_none(),
                    BOOKKEEPING.contains(&name),
                    "{}.{name}",
                    table.name
                );
            }
        }
        assert_eq!(group(table_named("menu_items").unwrap(), 999), None);
    }

    #[test]
    fn what_is_deleted_stays_deleted_whoever_deleted_it() {
        let side = |deletes, hlc| Side { hlc: Hlc::new(hlc), deletes };
        assert!(branch_wins(Policy::Deleted, side(false, 9), side(true, 1)));
        assert!(!branch_wins(Policy::Deleted, side(true, 1), side(false, 9)));
        assert!(branch_wins(Policy::Latest, side(false, 1), side(false, 2)));
        assert!(!branch_wins(Policy::Latest, side(false, 2), side(false, 2)), "one side must win a tie");
    }
}
