//! The caller: what the access token says, and what an action is told of it. Never trusts anything else of the request.

use super::permission::{Permission, Role};
use tiffin_common::Uuid;

/// The account behind an access token.
#[derive(Debug, Clone)]
pub struct Principal {
    /// The account.
    pub account_id: Uuid,
    /// The signed-in device (refresh-token family).
    pub session_id: Uuid,
    /// The employee, when the account belongs to one.
    pub employee_id: Option<Uuid>,
    /// The person's or device's name.
    pub name: String,
    /// The role.
    pub role: Role,
    /// Outlets of the account, the first one being the default. Empty for a super-admin: all.
    pub outlets: Vec<Uuid>,
    /// Whether a PIN alone says who it is: rights at the till and no other.
    pub by_pin: bool,
}

impl Principal {
    /// Whether the caller holds `permission`.
    pub fn holds(&self, permission: Permission) -> bool {
        self.role.holds(permission) && (!self.by_pin || permission.is_of_till())
    }
}

/// Who acts, where: what every action is handed.
#[derive(Debug, Clone)]
pub struct Actor {
    /// The outlet everything is scoped by.
    pub outlet_id: Uuid,
    /// The account; none for guests and the box itself.
    pub account_id: Option<Uuid>,
    /// The employee, when known.
    pub employee_id: Option<Uuid>,
    /// The name that histories show.
    pub name: String,
    /// The role; none for guests and the box itself.
    pub role: Option<Role>,
    /// The device, by its session.
    pub device: Option<String>,
    /// As in [`Principal`].
    pub by_pin: bool,
}

impl Actor {
    /// The box itself: workers, set-up, sample data.
    pub fn system(outlet_id: Uuid) -> Actor {
        Actor {
            outlet_id,
            account_id: None,
            employee_id: None,
            name: "system".into(),
            role: None,
            device: None,
            by_pin: false,
        }
    }

    /// A guest at a table.
    pub fn guest(outlet_id: Uuid) -> Actor {
        Actor { name: "guest".into(), ..Actor::system(outlet_id) }
    }

    /// Whether the actor's own role holds `permission`. The box itself may do anything; a guest nothing.
    pub fn may(&self, permission: Permission) -> bool {
        match self.role {
            Some(role) => role.holds(permission) && (!self.by_pin || permission.is_of_till()),
            None => self.name == "system",
        }
    }

    /// Whether the actor stands above `role`, as whoever has no role of their own does: routes have asked for a permission.
    pub fn outranks(&self, role: Role) -> bool {
        self.role.is_none_or(|own| own.outranks(role))
    }
}

/// Who approved by PIN what the signed-in account may not do alone (manager override).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approver {
    /// The employee whose PIN it was.
    pub employee_id: Uuid,
    /// Their account, whose role holds the permission.
    pub account_id: Uuid,
    /// Their name.
    pub name: String,
    /// Their role.
    pub role: Role,
}
