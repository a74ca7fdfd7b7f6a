//! The captured tables: a number for each table and each column, who owns the rows, and what is not captured. The change
//! log names tables and columns by these numbers only. Numbers are append-only: a new column goes to the end of its
//! table, a dropped one keeps its place under a name that begins with `retired_`. Never describes types or constraints
//! (the schema does), and never lists a table that only one box cares about except in [`LOCAL`].
//!
//! Number ranges: outlets 1-4, audit 5-7, notifications 8-9, employees 10-14, auth 15-19, menu 20-34, tables 35-39,
//! inventory 40-59, kitchen 60-69, orders 70-94, cash 95-99,
//! purchase_orders 100-104 and 31-32, waste_logs 105-109, shifts 110-114, attendance 115-119, leave_requests 120-124, tickets 125-129, sync 130-134.

use crate::older::knows;

/// Who may change a table's rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// Only the outlet that wrote them; they flow up and head office never edits them.
    Outlet,
    /// Head office orders them; a branch's change is a proposal that names the version it saw.
    Shared,
}

/// One captured table.
#[derive(Debug, PartialEq, Eq)]
pub struct Table {
    /// The table's number in the log.
    pub no: u16,
    /// Its name in every database.
    pub name: &'static str,
    /// Who may change its rows.
    pub owner: Owner,
    /// Its columns; the position is the column's number in the log.
    pub columns: &'static [&'static str],
}

/// The key column of every captured table: a UUIDv7 that never changes.
pub const KEY: &str = "id";

/// Columns a table may have; the column mask of a log body is at most this many bits.
pub const MAX_COLUMNS: usize = 256;

/// A column name that begins so is no longer in the schema; its number stays taken.
pub const RETIRED: &str = "retired_";

/// One more than the highest table number that [`table`] can find.
const NUMBERS: usize = 160;

impl Table {
    /// Whether the rows carry a `version` that editors compare; a proposal then tells which one it saw.
    pub fn is_versioned(&self) -> bool {
        self.columns.contains(&"version")
    }

    /// The number of the column with this name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| *column == name)
    }

    /// The columns that the schema still has, with their numbers.
    pub fn live_columns(&self) -> impl Iterator<Item = (usize, &'static str)> {
        let is_live = |(no, name): &(usize, &str)| !name.starts_with(RETIRED) && knows(self.no, *no);
        self.columns.iter().copied().enumerate().filter(is_live)
    }
}

/// The table with this number.
pub fn table(no: u16) -> Option<&'static Table> {
    INDEX.get(usize::from(no)).copied().flatten()
}

/// The table with this name.
pub fn table_named(name: &str) -> Option<&'static Table> {
    TABLES.iter().find(|table| table.name == name)
}

/// Whether the table of that name has that column, or is not one of [`TABLES`]. For the compiler: declarations of rows are
/// checked by it.
pub const fn may_have(table: &str, column: &str) -> bool {
    let mut i = 0;
    while i < TABLES.len() {
        if same(TABLES[i].name, table) {
            let columns = TABLES[i].columns;
            let mut c = 0;
            while c < columns.len() {
                if same(columns[c], column) {
                    return true;
                }
                c += 1;
            }
            return false;
        }
        i += 1;
    }
    true
}

const fn same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    if one.len() != other.len() {
        return false;
    }
    let mut i = 0;
    while i < one.len() {
        if one[i] != other[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// [`TABLES`] by number, built by the compiler: the capture looks a table up for every row that changes.
static INDEX: [Option<&Table>; NUMBERS] = {
    let mut index = [None; NUMBERS];
    let mut i = 0;
    while i < TABLES.len() {
        index[TABLES[i].no as usize] = Some(&TABLES[i]);
        i += 1;
    }
    index
};

macro_rules! tables {
    ($($no:literal $name:ident $owner:ident { $($column:ident)* })*) => {
        /// Every captured table, by number.
        pub const TABLES: &[Table] = &[$(Table {
            no: $no,
            name: stringify!($name),
            owner: Owner::$owner,
            columns: &[$(stringify!($column)),*],
        }),*];
    };
}

tables! {
    1 outlets Shared { id code name address phone timezone currency tax_id licence_number
        business_day_starts_at prices_include_tax service_charge_bps cash_rounding_cents tax_scheme
        stock_policy qr_order_approval attendance_grace_minutes attendance_max_break_minutes shift_times
        discount_limit_bps fiscal_year_starts_on version created_at updated_at auto_availability
        approver_pin_min_digits void_grace_seconds blind_count pay_out_limit_cents guest_data_days hold_courses
        schedule_lead_minutes waiters_take_payments country till service_charge_order_types service_charge_automatic
        service_charge_taxed quantity_tolerance_bps price_tolerance_bps overtime weekly_rest_days leave_terms
        languages }
    5 audit_log Outlet { id outlet_id at business_date actor_id actor_name approver_id approver_name device
        action entity_type entity_id before after reason clock_suspect }
    8 notifications Outlet { id outlet_id type severity title body audience entity_type entity_id dedupe_key
        count created_at updated_at read_at read_by }
    10 employees Shared { id outlet_id employee_code name phone email job_title station hourly_rate_cents
        employment_type hired_on ended_on status pin_hash version created_at updated_at archived_at till_role
        pay_basis monthly_salary_cents day_minutes }
    11 employee_wages Shared { id outlet_id employee_id hourly_rate_cents effective_at set_by
        pay_basis monthly_salary_cents }
    12 employee_documents Outlet { id outlet_id employee_id kind title file_name media_type size_bytes hash
        uploaded_by uploaded_by_name created_at }
    15 accounts Shared { id outlet_id email name password_hash role employee_id is_active version created_at
        updated_at channel_ids }
    16 account_outlets Shared { id outlet_id account_id position }
    20 tax_categories Shared { id outlet_id name components version created_at updated_at archived_at is_goods }
    21 menu_categories Shared { id outlet_id name description sort_order is_active version created_at
        updated_at archived_at windows texts }
    22 menu_items Shared { id outlet_id category_id name kitchen_name description sku price_cents
        tax_category_id hsn_sac station_id course prep_minutes dietary allergens image_url available_from
        available_to available_days is_active sort_order version created_at updated_at archived_at variant_of_id
        variant_name is_default more_windows kind energy_kcal serving_size texts sold_by weight_unit }
    23 modifier_groups Shared { id outlet_id name min_selections max_selections version created_at updated_at
        archived_at texts }
    24 modifier_options Shared { id outlet_id group_id name price_cents is_default is_active sort_order
        archived_at texts }
    25 menu_item_modifier_groups Shared { id outlet_id menu_item_id group_id sort_order }
    26 menu_availability Outlet { id outlet_id menu_item_id option_id status quantity_left until reason source
        version updated_at updated_by }
    27 menu_prices Outlet { id outlet_id menu_item_id price_cents version updated_at updated_by }
    28 combo_components Shared { id outlet_id menu_item_id name min_selections max_selections sort_order
        texts }
    29 menu_pictures Outlet { id outlet_id menu_item_id small large hash updated_at updated_by }
    30 combo_options Shared { id outlet_id component_id menu_item_id variant_id extra_cents sort_order }
    31 purchase_returns Outlet { id outlet_id purchase_order_id supplier_id number note total_cents tax_cents
        business_date at by_id by_name }
    32 purchase_return_lines Outlet { id outlet_id return_id purchase_order_line_id line_number batch_id
        batch_number quantity unit unit_cost total_cents stock_quantity reason }
    33 price_lists Shared { id outlet_id name priority order_types channel_ids areas days hours_from hours_to
        starts_on ends_on version created_at updated_at archived_at }
    34 price_list_entries Shared { id outlet_id price_list_id menu_item_id category_id price_cents adjust_bps
        sort_order }
    35 dining_tables Outlet { id outlet_id number area seats position_x position_y status qr_token
        qr_rotated_at version created_at updated_at archived_at shape width height rotation area_order texts area_texts }
    36 table_sessions Outlet { id outlet_id table_id party_size business_date opened_at opened_by closed_at
        merged_into_id approved_at session_code code_failures }
    40 suppliers Shared { id outlet_id name contact_name phone email address tax_id lead_time_days version
        created_at updated_at archived_at agreed_prices }
    41 stock_items Shared { id outlet_id name category unit sku rotation min_stock_threshold par_level
        supplier_id unit_conversions retired_last_unit_cost version created_at updated_at archived_at preparation_id }
    42 stock_batches Outlet { id outlet_id stock_item_id batch_number expiry_date received_at unit_cost
        supplier_id source_type source_id }
    43 stock_movements Outlet { id outlet_id stock_item_id batch_id kind quantity_delta quantity_before
        quantity_after unit_cost cost_micros cause_type cause_id order_id order_item_id reverses_id reason
        note actor_id business_date at clock_suspect }
    44 recipes Shared { id outlet_id menu_item_id option_id name yield_quantity yield_unit version created_at
        updated_at archived_at shelf_life_days }
    45 recipe_ingredients Shared { id outlet_id recipe_id stock_item_id sub_recipe_id quantity unit sort_order
        }
    46 stocktakes Outlet { id outlet_id name status category blind uncounted business_date opened_at opened_by
        opened_by_name ended_at ended_by ended_by_name note variance_micros version }
    47 stocktake_lines Outlet { id outlet_id stocktake_id stock_item_id batch_id expected_quantity
        counted_quantity counted_at counted_by counted_by_name times_counted variance_quantity variance_micros
        }
    48 stock_transfers Outlet { id outlet_id to_outlet_id transfer_number note business_date sent_at sent_by
        sent_by_name cancelled_at cancelled_by cancelled_by_name cancel_reason to_outlet_code to_outlet_name
        recalled_at }
    49 stock_transfer_lines Outlet { id outlet_id transfer_id line_number stock_item_id name sku unit batch_id
        batch_number expiry_date unit_cost quantity cost_micros movement_id category }
    50 stock_transfer_receipts Outlet { id outlet_id transfer_id from_outlet_id note business_date at by_id
        by_name undone_at }
    51 stock_transfer_receipt_lines Outlet { id outlet_id receipt_id transfer_line_id stock_item_id batch_id
        quantity_received }
    52 waste_logs Outlet { id outlet_id stock_item_id menu_item_id name quantity unit batch_number reason note
        station_id order_id order_item_id cost_micros business_date at by_id by_name reversed_at reversed_by
        reversed_by_name reversal_reason clock_suspect variant_id }
    53 incoming_transfers Shared { id outlet_id from_outlet_id from_outlet_code from_outlet_name
        transfer_number note business_date sent_at sent_by_name lines lines_count cost_micros recalled_at
        recalled_by_name recall_reason outcome decided_at }
    54 transfer_outcomes Shared { id outlet_id outcome decided_at received_at by_name note lines }
    60 kitchen_stations Outlet { id outlet_id name kind is_default target_minutes printer_address
        fallback_station_id version created_at updated_at archived_at print_tickets language texts }
    61 kitchen_tickets Outlet { id outlet_id station_id ticket_number business_date order_id order_number
        token_number order_type table_number type course status priority notes copy_number created_at fired_at
        started_at ready_at served_at cancelled_at target_ready_at acked_at escalated_at recalled_count
        version updated_at refers_to_id target_minutes escalated_to_id }
    62 kitchen_ticket_items Outlet { id outlet_id ticket_id order_item_id menu_item_id name quantity modifiers
        notes seat_number status started_at ready_at order_id variant_id combo_name weight weight_unit }
    66 printers Outlet { id outlet_id name connection address width profile code_pages cutter drawer auto_print roles
        station_ids fallback_printer_id language expires_minutes version created_at updated_at archived_at }
    67 receipt_prints Outlet { id outlet_id prints }
    68 print_layouts Outlet { id outlet_id headers footers logo bill_code version updated_at guest_code }
    70 counters Outlet { id outlet_id series value }
    71 orders Outlet { id outlet_id order_number token_number business_date order_type source status table_id
        table_number table_session_id retired_customer_name retired_customer_phone notes guest_count scheduled_for
        prices_include_tax service_charge_bps cash_rounding_cents gross_cents subtotal_cents discount_cents
        service_charge_cents tax_cents rounding_cents total_cents paid_cents refunded_cents tip_cents
        invoice_id invoice_number dispatched_at split_from_id merged_into_id created_by version created_at
        updated_at closed_at clock_suspect guest_key receipt_code revenue_date credited_cents written_off_cents
        release_at server_id server_name service_charge_taxed service_charge_taxes
        channel_id external_id is_operator_taxed commission_bps commission_cents slip_id slip_number }
    72 order_items Outlet { id outlet_id order_id line_number menu_item_id name hsn_sac station_id
        unit_price_cents modifiers_cents quantity voided_quantity course seat_number notes tax_components
        gross_cents discount_cents service_charge_cents tax_cents split_from_id version created_at created_by
        subtotal_cents hold is_goods variant_id price_list_id combo_id combo_line_id component extra_cents weight
        weight_unit }
    73 order_item_modifiers Outlet { id outlet_id order_id order_item_id option_id name price_cents }
    74 order_item_voids Outlet { id outlet_id order_id order_item_id quantity amount_cents reason was_made
        by_id approver_id business_date at kind cost_micros weight }
    75 order_status_history Outlet { id outlet_id order_id from_status to_status at by_id by_name reason }
    76 order_discounts Outlet { id outlet_id order_id order_item_id type value amount_cents reason by_id
        approver_id business_date at removed_at net_cents }
    77 order_taxes Outlet { id outlet_id order_id order_item_id name rate_bps taxable_cents tax_cents }
    78 payments Outlet { id outlet_id order_id method amount_cents tip_cents tendered_cents change_cents
        reference cash_session_id refunded_cents business_date at by_id by_name clock_suspect channel_id }
    79 refunds Outlet { id outlet_id order_id payment_id credit_note_id method amount_cents reason restock
        cash_session_id business_date at by_id by_name approver_id clock_suspect }
    80 refund_items Outlet { id outlet_id order_id credit_note_id order_item_id quantity amount_cents
        restocked subtotal_cents discount_cents wasted }
    81 invoices Outlet { id outlet_id kind fiscal_year serial number order_id refers_to_id total_cents
        tax_cents body previous_hash hash business_date at by_id clock_suspect signature service_charge_cents rounding_cents
        customer_tax_id customer_legal_name customer_address }
    82 guests Outlet { id outlet_id name phone address erased_at }
    83 payment_corrections Outlet { id outlet_id order_id payment_id kind old_method new_method old_amount_cents
        new_amount_cents old_tip_cents new_tip_cents old_reference new_reference cash_session_id reason business_date at
        by_id by_name approver_id clock_suspect }
    84 write_offs Outlet { id outlet_id order_id amount_cents reason business_date at by_id by_name approver_id
        clock_suspect }
    88 channels Outlet { id outlet_id name kind taxed_by operator_tax_id commission_bps version created_at updated_at
        archived_at price_list_id }
    89 order_slips Outlet { id outlet_id kind fiscal_year serial number order_id channel_id refers_to_id total_cents
        business_date at by_id by_name reason clock_suspect }
    90 signing_keys Outlet { id outlet_id life public_key begun_at }
    95 cash_sessions Outlet { id outlet_id drawer status opening_float_cents expected_cents counted_cents
        over_short_cents business_date opened_at opened_by opened_by_name closed_at closed_by note version
        clock_suspect denominations refused_pay_outs counted_date }
    96 cash_movements Outlet { id outlet_id cash_session_id kind amount_cents reason business_date at by_id
        approver_id clock_suspect is_tips employee_id }
    97 day_closes Outlet { id outlet_id business_date z_number report carried_over at by_id clock_suspect early }
    100 purchase_orders Outlet { id outlet_id po_number mode status supplier_id supplier_name
        expected_delivery_date notes total_cents business_date created_by created_by_name sent_at sent_on
        received_at received_on closed_at close_reason overdue_told_at version created_at updated_at }
    101 purchase_order_lines Outlet { id outlet_id purchase_order_id line_number stock_item_id name quantity
        unit unit_cost total_cents stock_quantity stock_unit received_stock_quantity is_extra }
    102 purchase_deliveries Outlet { id outlet_id purchase_order_id supplier_id invoice_ref note total_cents
        business_date at by_id by_name }
    103 purchase_delivery_lines Outlet { id outlet_id delivery_id purchase_order_line_id line_number batch_id
        batch_number expiry_date quantity unit unit_cost total_cents stock_quantity }
    104 purchase_invoices Outlet { id outlet_id purchase_order_id supplier_id invoice_ref total_cents tax_cents
        business_date at by_id by_name accepted_difference_cents accepted_at accepted_by accepted_by_name
        accepted_reason }
    110 shifts Outlet { id outlet_id employee_id date shift_type start_time end_time station notes status
        published_at off_reason leave_request_id version created_at created_by updated_at updated_by archived_at }
    111 shift_swaps Outlet { id outlet_id kind status from_shift_id from_employee_id to_employee_id to_shift_id
        note requested_at requested_by accepted_at accepted_by decided_at decided_by decided_by_name
        decision_reason version }
    115 attendances Outlet { id outlet_id employee_id employee_name business_date shift_id scheduled_start
        scheduled_end state started_at ended_at is_disordered created_at updated_at }
    116 attendance_records Outlet { id outlet_id attendance_id employee_id event_type at effective_at status
        business_date is_manual clock_suspect device by_id version created_at updated_at }
    117 attendance_corrections Outlet { id outlet_id record_id old_at new_at reason by_id by_name approver_id
        approver_name business_date at }
    120 leave_requests Outlet { id outlet_id employee_id leave_type from_date to_date half_day reason status
        was_forced requested_at requested_by decided_at decided_by decided_by_name decision_reason version }
    121 leave_entitlements Outlet { id outlet_id employee_id year leave_type half_days version updated_at
        updated_by }
    122 holidays Outlet { id outlet_id date name created_at }
    125 tickets Outlet { id outlet_id subject body category priority status assignee_id raised_by
        raised_by_name version created_at updated_at resolved_at archived_at }
    126 ticket_comments Outlet { id outlet_id ticket_id body by_id by_name at }
    127 feedback Outlet { id outlet_id order_id order_number table_session_id table_number rating food service
        cleanliness nps comment retired_customer_name retired_customer_phone callback_wanted status note assignee_id
        business_date version created_at updated_at }
    130 sync_reviews Outlet { id outlet_id table_name row_id reason lost kept at resolved_at resolved_by }
    131 answered_requests Outlet { id outlet_id request status made }
}

/// Tables whose rows only ever come to be, each with the columns that a later sale, split or refund may settle. Everything else that
/// happens to such a row is the exchange's (recovery), or wrong.
pub const APPEND_ONLY: &[(&str, &[&str])] = &[
    ("audit_log", &[]),
    ("payments", &["refunded_cents"]),
    ("refunds", &[]),
    ("payment_corrections", &[]),
    ("write_offs", &[]),
    ("refund_items", &[]),
    ("order_slips", &[]),
    ("invoices", &[]),
    ("signing_keys", &[]),
    ("order_item_voids", &["order_id"]),
    ("cash_movements", &[]),
];

/// The columns that may be settled in the rows of an append-only table; none for any other table.
pub fn settled(table: &str) -> Option<&'static [&'static str]> {
    APPEND_ONLY.iter().find(|(name, _)| *name == table).map(|(_, settled)| *settled)
}

/// Tables of one box alone. They are derived from captured ones, or mean nothing anywhere else, or must not leave it.
pub const LOCAL: &[&str] = &[
    "box",
    "chain_outlets",
    "mail_jobs",
    "sessions",
    "refresh_tokens",
    "password_resets",
    "throttles",
    "second_factors",
    "devices",
    "device_pairings",
    "idempotency",
    "menu_revision",
    "stock_batch_levels",
    "stock_levels",
    "portion_needs",
    "stock_filed_movements",
    "stock_filing",
    "station_displays",
    "print_jobs",
    "order_counts",
    "employee_document_contents",
    "analytics_days",
    "analytics_sales",
    "analytics_hours",
    "analytics_refunds",
    "analytics_money",
    "analytics_taxes",
    "analytics_items",
    "analytics_discounts",
    "analytics_stock",
    "analytics_waste",
    "analytics_purchases",
    "analytics_tables",
    "ai_conversations",
    "ai_messages",
    "sync_acks",
    "sync_archive",
    "sync_log",
    "sync_meta",
    "sync_peer",
    "sync_proposals",
    "sync_reseed",
    "sync_scheduled",
    "sync_withdrawn",
    "sync_postponed",
    "refinery_schema_history",
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn numbers_ascend_and_names_are_distinct() {
        assert!(TABLES.windows(2).all(|pair| pair[0].no < pair[1].no));
        let names: HashSet<_> = TABLES.iter().map(|t| t.name).chain(LOCAL.iter().copied()).collect();
        assert_eq!(names.len(), TABLES.len() + LOCAL.len());
        for t in TABLES {
            assert_eq!(table(t.no), Some(t));
            assert_eq!(table_named(t.name), Some(t));
            let columns: HashSet<_> = t.columns.iter().collect();
            assert_eq!(columns.len(), t.columns.len(), "a column of {} is numbered twice", t.name);
            assert!(t.columns.len() <= MAX_COLUMNS && t.columns.first() == Some(&KEY), "{}", t.name);
        }
        assert_eq!(table(0), None);
        assert_eq!(table(u16::MAX), None);
    }
}
