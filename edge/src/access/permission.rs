//! Permissions and the one table that says which role holds which (contract section 2). Never asks who is calling.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tiffin_common::words;

macro_rules! permissions {
    ($($variant:ident $name:literal $meaning:literal [$($role:ident)*],)*) => {
        /// A named right.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum Permission {
            $(#[doc = $meaning] #[serde(rename = $name)] $variant,)*
        }

        impl Permission {
            /// All permissions.
            pub const ALL: &'static [Permission] = &[$(Permission::$variant,)*];

            /// The name that clients see.
            pub fn name(self) -> &'static str {
                match self { $(Permission::$variant => $name,)* }
            }

            /// What it is a right to, for a person.
            pub fn meaning(self) -> &'static str {
                match self { $(Permission::$variant => $meaning,)* }
            }

            /// The roles that hold it besides those that hold nearly everything.
            fn holders(self) -> &'static [Role] {
                match self { $(Permission::$variant => &[$(Role::$role),*],)* }
            }
        }
    };
}

// Owners, managers and super-admins hold nearly everything (`Role::holds`); the other roles what names them.
permissions! {
    OutletsRead "outlets:read" "See the outlets of the account." [Cashier Waiter Kitchen Storekeeper Accountant Terminal Integration DevicePos DeviceKitchen DeviceClock DeviceBoard],
    OutletsWrite "outlets:write" "Change an outlet's settings." [],
    OutletsCreate "outlets:create" "Make a new outlet." [],
    AuditRead "audit:read" "Read the audit log." [Accountant],
    NotificationsRead "notifications:read" "Read and tick off notifications." [Cashier Waiter Kitchen Storekeeper],
    EmployeesRead "employees:read" "See the staff." [],
    EmployeesWrite "employees:write" "Hire, change and archive staff; set PINs." [],
    AccountsManage "accounts:manage" "Make and change accounts, up to one's own role." [],
    DevicesManage "devices:manage" "Pair, rename and remove devices." [],
    PinSwitch "pin:switch" "Let an employee sign in by PIN at this device." [Cashier Waiter Kitchen Storekeeper Terminal DevicePos DeviceKitchen],
    AttendancePunch "attendance:punch" "Clock in and out by PIN at this device." [Cashier Waiter Kitchen Storekeeper Terminal DevicePos DeviceClock],
    MenuRead "menu:read" "See the menu." [Cashier Waiter Kitchen Storekeeper Accountant Terminal Integration DevicePos DeviceKitchen DeviceBoard],
    MenuWrite "menu:write" "Change the menu and its prices." [],
    MenuAvailability "menu:availability" "Mark dishes and options as sold out or limited." [Cashier Waiter Kitchen DeviceKitchen],
    TablesRead "tables:read" "See the tables." [Cashier Waiter DevicePos],
    TablesOperate "tables:operate" "Seat, move and merge parties." [Cashier Waiter],
    TablesWrite "tables:write" "Make and change tables and their QR codes." [],
    InventoryRead "inventory:read" "See stock, batches, movements and recipes." [Kitchen Storekeeper Accountant],
    InventoryWrite "inventory:write" "Change stock items, suppliers and recipes." [Storekeeper],
    InventoryAdjust "inventory:adjust" "Correct stock." [Storekeeper],
    KitchenRead "kitchen:read" "See kitchen tickets." [Cashier Waiter Kitchen DeviceKitchen DeviceBoard],
    KitchenFollow "kitchen:follow" "Follow tickets; another system those of its channels' orders, or its own." [Cashier Waiter Kitchen DeviceKitchen DeviceBoard Integration],
    KitchenOperate "kitchen:operate" "Acknowledge, start, finish and recall tickets." [Kitchen DeviceKitchen],
    KitchenServe "kitchen:serve" "Note that a ticket has gone out." [Cashier Waiter Kitchen DeviceKitchen],
    KitchenWrite "kitchen:write" "Make and change stations." [],
    PrintersRead "printers:read" "See printers and what became of paper." [Cashier Waiter Kitchen],
    PrintersWrite "printers:write" "Make, change and try printers, and say what stands on receipts." [],
    ChannelsRead "channels:read" "See the channels that orders come through." [Cashier Waiter Accountant Integration],
    ChannelsWrite "channels:write" "Make and change channels." [],
    OrdersRead "orders:read" "See orders; another system those of its channels, or its own." [Cashier Waiter Kitchen Accountant Integration],
    OrdersCreate "orders:create" "Take orders." [Cashier Waiter Integration],
    GuestsRead "guests:read" "See guests' phone numbers and addresses." [Cashier Waiter Integration],
    GuestsErase "guests:erase" "Erase who a guest was." [],
    OrdersUpdate "orders:update" "Add and change lines, split and merge." [Cashier Waiter],
    OrdersStatus "orders:status" "Change the state of an order; another system that of its channels' orders, or its own." [Cashier Waiter Integration],
    OrdersCancel "orders:cancel" "Cancel an order." [Cashier],
    OrdersVoid "orders:void" "Take a line off an order." [],
    OrdersDiscount "orders:discount" "Give discounts up to the role's limit." [Cashier Waiter],
    PriceOverride "orders:price-override" "Sell at another price." [Integration],
    PaymentsRead "payments:read" "See payments, invoices and closes." [Cashier Accountant],
    PaymentsTake "payments:take" "Take payments and make bills; another system for its channels' orders, or its own." [Cashier Integration],
    RefundsMake "refunds:make" "Give money back." [],
    CashOperate "cash:operate" "Open, use and close a cash drawer." [Cashier],
    CashNoSale "cash:no-sale" "Open the drawer without a sale." [],
    DayClose "day:close" "Close the business day." [],
    PurchasingRead "purchasing:read" "See purchase orders and how suppliers keep their word." [Storekeeper Accountant],
    PurchasingWrite "purchasing:write" "Order from suppliers and book what they deliver." [Storekeeper],
    PurchasingApprove "purchasing:approve" "Accept a supplier's invoice that is for more or less than came." [Accountant],
    StockCount "inventory:count" "Count stock in a stocktake; closing it needs inventory:adjust." [Kitchen Storekeeper],
    WasteRead "waste:read" "See what was thrown away." [Kitchen Storekeeper Accountant],
    WasteLog "waste:log" "Record what is thrown away." [Kitchen Storekeeper],
    RosterRead "roster:read" "See the published roster." [Cashier Waiter Kitchen Storekeeper Accountant Terminal DevicePos DeviceClock],
    RosterWrite "roster:write" "Plan and publish shifts; approve swaps." [],
    ShiftSwap "shifts:swap" "Offer one's shift to a colleague and answer such offers." [Cashier Waiter Kitchen Storekeeper],
    AttendanceRead "attendance:read" "See attendance and timesheets." [Accountant],
    AttendanceCorrect "attendance:correct" "Correct a punch." [],
    LeaveRequest "leave:request" "Ask for leave and see one's own." [Cashier Waiter Kitchen Storekeeper],
    LeaveApprove "leave:approve" "See everybody's leave and decide on it." [],
    AnalyticsRead "analytics:read" "See figures, reports and the dashboard." [Accountant],
    AiAsk "ai:ask" "Ask the assistant, which sees what the caller sees." [Cashier Waiter Kitchen Storekeeper Accountant],
    TicketsRaise "tickets:raise" "Raise a staff query and follow one's own." [Cashier Waiter Kitchen Storekeeper],
    TicketsManage "tickets:manage" "See, assign and settle every staff query." [],
    FeedbackManage "feedback:manage" "Read and follow up what guests said." [],
}

impl Permission {
    /// Whether it is a right at the till: whoever is known by a PIN alone has no other, whatever their role holds. A PIN is seen and
    /// guessed; accounts, wages, settings, prices and what leaves the house as files want the password.
    pub fn is_of_till(self) -> bool {
        use Permission as P;
        match self {
            P::OutletsRead | P::NotificationsRead | P::PinSwitch | P::AttendancePunch | P::MenuRead => true,
            P::MenuAvailability
            | P::TablesRead
            | P::TablesOperate
            | P::InventoryRead
            | P::InventoryAdjust => true,
            P::KitchenRead | P::KitchenFollow | P::KitchenOperate | P::KitchenServe | P::ChannelsRead => true,
            P::OrdersRead | P::OrdersCreate | P::OrdersUpdate => true,
            P::GuestsRead
            | P::OrdersStatus
            | P::OrdersCancel
            | P::OrdersVoid
            | P::OrdersDiscount
            | P::PriceOverride
            | P::PaymentsRead => true,
            P::PrintersRead
            | P::PaymentsTake
            | P::RefundsMake
            | P::CashOperate
            | P::CashNoSale
            | P::DayClose => true,
            P::StockCount | P::WasteRead | P::WasteLog | P::RosterRead | P::ShiftSwap | P::LeaveRequest => {
                true
            }
            P::AiAsk | P::TicketsRaise => true,
            P::OutletsWrite | P::OutletsCreate | P::AuditRead | P::EmployeesRead | P::EmployeesWrite => false,
            P::DevicesManage
            | P::AccountsManage
            | P::MenuWrite
            | P::TablesWrite
            | P::InventoryWrite
            | P::KitchenWrite => false,
            P::PurchasingRead | P::PurchasingWrite | P::PurchasingApprove => false,
            P::RosterWrite | P::AttendanceRead => false,
            P::AttendanceCorrect | P::LeaveApprove | P::AnalyticsRead | P::TicketsManage => false,
            P::FeedbackManage | P::GuestsErase | P::PrintersWrite | P::ChannelsWrite => false,
        }
    }
}

words! {
    /// What an account is; the most powerful first.
    pub enum Role {
        /// All outlets; names one with each request.
        SuperAdmin = "SUPER_ADMIN",
        /// Owns the business.
        Owner = "OWNER",
        /// Runs an outlet.
        Manager = "MANAGER",
        /// Takes money.
        Cashier = "CASHIER",
        /// Serves tables.
        Waiter = "WAITER",
        /// Cooks and plates.
        Kitchen = "KITCHEN",
        /// Keeps the stock.
        Storekeeper = "STOREKEEPER",
        /// Reads figures.
        Accountant = "ACCOUNTANT",
        /// A shared device: attendance, PIN switch, menu.
        Terminal = "TERMINAL",
        /// Another system: orders with prices of its own.
        Integration = "INTEGRATION",
        /// A till: whoever enters a PIN at it holds the till's rights of their role.
        DevicePos = "DEVICE_POS",
        /// A kitchen display: whoever cooks and enters a PIN at it holds a cook's rights.
        DeviceKitchen = "DEVICE_KITCHEN",
        /// A clock for the staff to punch at.
        DeviceClock = "DEVICE_CLOCK",
        /// A board that guests look at.
        DeviceBoard = "DEVICE_BOARD",
    }
}

impl Role {
    /// Whether the role holds `permission`.
    pub fn holds(self, permission: Permission) -> bool {
        match self {
            Role::SuperAdmin => true,
            Role::Owner => permission != Permission::OutletsCreate,
            Role::Manager => !matches!(
                permission,
                Permission::OutletsCreate | Permission::OutletsWrite | Permission::GuestsErase
            ),
            _ => permission.holders().contains(&self),
        }
    }

    /// Whether it is a paired device's: no person has it, and nobody signs in to it with a password.
    pub fn is_device(self) -> bool {
        matches!(self, Role::DevicePos | Role::DeviceKitchen | Role::DeviceClock | Role::DeviceBoard)
    }

    /// Whether an employee may have it at the till without an account: the roles of those who work in the house.
    pub fn is_of_house(self) -> bool {
        matches!(
            self,
            Role::Owner | Role::Manager | Role::Cashier | Role::Waiter | Role::Kitchen | Role::Storekeeper
        )
    }

    /// All permissions the role holds.
    pub fn permissions(self) -> Vec<Permission> {
        Permission::ALL.iter().copied().filter(|p| self.holds(*p)).collect()
    }

    fn rank(self) -> u8 {
        match self {
            Role::SuperAdmin => 3,
            Role::Owner => 2,
            Role::Manager => 1,
            _ => 0,
        }
    }

    /// Whether an account of this role may give `other` to somebody: never above one's own.
    pub fn may_grant(self, other: Role) -> bool {
        self.rank() > 0 && other.rank() <= self.rank()
    }

    /// Whether this role stands above `other`. Equals need somebody above both.
    pub fn outranks(self, other: Role) -> bool {
        self.rank() > other.rank()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_accountant_only_reads_and_answers_for_suppliers_bills() {
        let writes: Vec<_> =
            Role::Accountant.permissions().into_iter().filter(|p| !p.name().ends_with(":read")).collect();
        // Asking changes nothing but the caller's own conversations.
        assert_eq!(writes, [Permission::PurchasingApprove, Permission::AiAsk]);
    }

    #[test]
    fn nobody_grants_above_their_own_role() {
        assert!(!Role::Manager.may_grant(Role::Owner));
        assert!(Role::Manager.may_grant(Role::Manager));
        assert!(!Role::Cashier.may_grant(Role::Waiter));
        assert!(!Role::Owner.may_grant(Role::SuperAdmin));
        assert!(Role::Owner.outranks(Role::Manager) && Role::Manager.outranks(Role::Cashier));
        assert!(!Role::Manager.outranks(Role::Manager) && !Role::Waiter.outranks(Role::Kitchen));
    }
}
