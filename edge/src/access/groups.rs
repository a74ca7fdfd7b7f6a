//! What each group of routes is about, for the published document: a stranger who opens it should find the right group. Never
//! knows a route.

/// Each group with what it is for, in a few sentences.
const GROUPS: &[(&str, &str)] = &[
    (
        "orders",
        "Orders from the first line to the last state: lines, discounts, payments, refunds, dividing and joining, bills with \
         their gapless numbers, and what guests order by the code on their table. The server computes every amount.",
    ),
    (
        "tables",
        "The tables of the floor, who sits at them, and the QR codes that guests scan. A party keeps one session from its \
         first order, or from being seated, until its last order is closed.",
    ),
    (
        "cash-sessions",
        "Cash drawers: opened with a float, paid into and out of with a reason, counted and closed. What should be in a drawer \
         follows from its payments and movements.",
    ),
    (
        "day-close",
        "The close of a trading day and its report: sales, taxes, means of payment, cash and what is still open. A day is closed \
         once; what is entered for it later is shown beside.",
    ),
    (
        "kitchen",
        "Stations, their tickets, and the stream that displays follow. An order makes one ticket per station; starting and \
         finishing tickets moves the order on.",
    ),
    (
        "inventory",
        "The store room: stock items with batches, cost and expiry, the ledger of every movement, recipes, counts, transfers to \
         other outlets, and suppliers. A sale takes its ingredients from stock by itself.",
    ),
    (
        "menu",
        "Categories, dishes, modifier groups and tax categories, with prices in cents; what is sold out at this outlet; import \
         and export of the whole menu.",
    ),
    (
        "purchase-orders",
        "What is ordered from suppliers: drafted by hand or from low stock, sent, delivered in parts, closed. A delivery makes \
         batches.",
    ),
    (
        "waste-logs",
        "What was thrown away, why and at what cost, by stock item or by dish. A wrong entry is reversed, never deleted.",
    ),
    (
        "workforce",
        "The published roster, and clocking in and out by PIN at a signed-in device. The time is the server's.",
    ),
    (
        "shifts",
        "Planning: shifts are drafts until they are published; colleagues swap them or give them away with a manager's consent.",
    ),
    (
        "attendance",
        "What was clocked: records, who is present, timesheets with overtime and cost, and corrections, which keep the raw punch.",
    ),
    (
        "leave-requests",
        "Leave: asked for, approved against the balance, rejected or cancelled. Approved leave turns shifts into days off.",
    ),
    (
        "analytics",
        "The figures of the outlet over any range of business dates, from its own rows and exact to the cent. Reports come as \
         JSON or CSV.",
    ),
    ("dashboard", "Everything a manager's screen shows, in one call and from one snapshot."),
    (
        "ai",
        "Questions in plain words, answered from the outlet's own figures with the calls they come from. Works with no internet \
         and sees no more than its caller.",
    ),
    (
        "tickets",
        "Queries that staff raise and settle, and feedback of guests, who need no account to give it.",
    ),
    (
        "outlets",
        "The outlets of the account and their settings: currency, time zone, taxes, when the business day begins.",
    ),
    (
        "notifications",
        "What somebody should know of: low stock, late deliveries, tickets nobody saw. What happens again is counted on one \
         notification.",
    ),
    (
        "audit-log",
        "Who changed what, when, at which device, and who approved it: prices, voids, refunds, roles, settings. It is never \
         changed.",
    ),
    (
        "employees",
        "The staff with their wages over time, PINs, papers and accounts. Who has left stays for the history.",
    ),
    (
        "auth",
        "Signing in and out, the next access token, passwords, handing a device over by PIN, and the devices that are signed in.",
    ),
    (
        "sync-reviews",
        "Rows of which two versions came together after a backup was put back or a disk was lost: what stands, what was lost, \
         and who has seen to it.",
    ),
    (
        "system",
        "How this server is doing: its outlet, clock, disk, backups, and the exchange with head office.",
    ),
    (
        "hub",
        "The whole chain: every outlet and how its exchange stands, figures over all of them, codes for new boxes, the catalogue \
         of menu, staff and stock with what was published to whom, and head office's own people.",
    ),
];

/// What `group` is about; nothing for a group that nobody described.
pub(super) fn about(group: &str) -> &'static str {
    GROUPS.iter().find(|(name, _)| *name == group).map_or("", |(_, about)| about)
}
