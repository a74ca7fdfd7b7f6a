//! Decisions about staff queries: who may do what, and what may follow what. Pure.

pub mod feedback;

use crate::http::{Checks, FieldError};
use tiffin_common::{Millis, Uuid, words};

/// What a query is about when nobody says so. A house finds its own words (MAINTENANCE, IT, PAYROLL …): they are kept as written.
pub const OTHER: &str = "OTHER";

words! {
    /// How soon a query needs somebody.
    pub enum Priority {
        /// When there is time.
        Low = "LOW",
        /// To be done this week.
        Normal = "NORMAL",
        /// To be done today.
        High = "HIGH",
        /// Now: managers are told.
        Urgent = "URGENT",
    }
}

words! {
    /// Where a query stands.
    pub enum TicketStatus {
        /// Nobody has begun.
        Open = "OPEN",
        /// Somebody is at it.
        InProgress = "IN_PROGRESS",
        /// Somebody else has to do something first.
        Waiting = "WAITING",
        /// Done; whoever raised it may say otherwise.
        Resolved = "RESOLVED",
        /// Done with.
        Closed = "CLOSED",
    }
}

impl TicketStatus {
    /// Whether nothing is left to do.
    pub fn is_settled(self) -> bool {
        matches!(self, TicketStatus::Resolved | TicketStatus::Closed)
    }

    /// What may follow: anything while it is open; a settled query is reopened first.
    pub fn followers(self) -> &'static [TicketStatus] {
        use TicketStatus::{Closed, InProgress, Open, Resolved, Waiting};
        match self {
            Open => &[InProgress, Waiting, Resolved, Closed],
            InProgress => &[Open, Waiting, Resolved, Closed],
            Waiting => &[Open, InProgress, Resolved, Closed],
            Resolved => &[Open, InProgress, Closed],
            Closed => &[Open],
        }
    }
}

table! {
    /// What clients write of a query.
    #[derive(PartialEq, Eq)]
    pub struct Draft: tickets {
        /// In a line.
        pub subject: String,
        /// In full.
        pub body: String,
        /// What it is about, in a word.
        pub category: String,
        /// How soon.
        pub priority: Priority,
        /// Where it stands.
        pub status: TicketStatus,
        /// The employee who sees to it.
        pub assignee_id: Option<Uuid>,
    }
}

impl Draft {
    /// The draft, trimmed, when everything in it holds.
    ///
    /// # Errors
    /// All offending fields.
    pub fn checked(mut self) -> Result<Draft, Vec<FieldError>> {
        let mut checks = Checks::new();
        for (field, text) in
            [("subject", &mut self.subject), ("body", &mut self.body), ("category", &mut self.category)]
        {
            *text = text.trim().to_owned();
            checks.require(!text.is_empty(), field, "must not be blank");
        }
        checks.finish(self)
    }
}

table! {
    /// A query of the staff, as kept.
    #[expect(missing_docs, reason = "the columns of tickets")]
    pub struct Ticket: tickets {
        pub id: Uuid,
        pub draft: Draft => flat,
        pub assignee_name: Option<String> => none,
        pub raised_by: Option<Uuid>,
        pub raised_by_name: String,
        pub comments: i64 => none,
        pub version: i64,
        pub created_at: Millis,
        pub updated_at: Millis,
        pub resolved_at: Option<Millis>,
    }
}

table! {
    /// What somebody said about a query.
    #[expect(missing_docs, reason = "the columns of ticket_comments")]
    pub struct Comment: ticket_comments {
        pub id: Uuid,
        pub body: String,
        pub by_id: Option<Uuid>,
        pub by_name: String,
        pub at: Millis,
    }
}

/// Who looks at a query.
#[derive(Debug, Clone, Copy)]
pub struct Viewer {
    /// Their account.
    pub account: Option<Uuid>,
    /// Their employee record.
    pub employee: Option<Uuid>,
    /// Whether they hold `tickets:manage`.
    pub manages: bool,
}

impl Viewer {
    /// Whether they raised it.
    pub fn raised(&self, ticket: &Ticket) -> bool {
        self.account.is_some() && self.account == ticket.raised_by
    }

    /// Whether they see to it.
    pub fn sees_to(&self, ticket: &Ticket) -> bool {
        self.employee.is_some() && self.employee == ticket.draft.assignee_id
    }

    /// Whether they may read it: for anybody else it is not there.
    pub fn may_read(&self, ticket: &Ticket) -> bool {
        self.manages || self.raised(ticket) || self.sees_to(ticket)
    }

    /// Whether they may make `after` of `ticket`: managers anything; whoever sees to it its status; whoever raised it its
    /// words, and to close or reopen it.
    ///
    /// # Errors
    /// What they may not, and why a state does not follow another.
    pub fn may_change(&self, ticket: &Ticket, after: &Draft) -> Result<()> {
        let before = &ticket.draft;
        if after.status != before.status && !before.status.followers().contains(&after.status) {
            return Err(TicketError::Transition(before.status));
        }
        if self.manages {
            return Ok(());
        }
        if after.assignee_id != before.assignee_id {
            return Err(TicketError::Forbidden("Only who manages staff queries assigns them"));
        }
        let words = |draft: &Draft| {
            (draft.subject.clone(), draft.body.clone(), draft.category.clone(), draft.priority)
        };
        if words(after) != words(before) && !self.raised(ticket) {
            return Err(TicketError::Forbidden(
                "Only who raised a query, or manages them, changes its words",
            ));
        }
        let own = matches!(after.status, TicketStatus::Closed | TicketStatus::Open);
        if after.status != before.status && !self.sees_to(ticket) && !own {
            return Err(TicketError::Forbidden("Who raised a query may close or reopen it"));
        }
        Ok(())
    }
}

refusals! {
    /// Why something about queries or feedback was refused.
    #[derive(Debug, thiserror::Error)]
    pub enum TicketError {
        /// The state a query is in does not lead to the wanted one.
        #[error("does not follow {0:?}")]
        Transition(TicketStatus),
        /// Nothing is said about a closed query.
        #[error("the query is closed")]
        Closed,
        /// There is feedback already; the field that names what it is about.
        #[error("there is feedback already")]
        Given(&'static str),
        /// Not theirs to do.
        #[error("{0}")]
        Forbidden(&'static str),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket(status: TicketStatus) -> Ticket {
        Ticket {
            id: Uuid::from_u128(1),
            draft: Draft {
                subject: "The tap drips".into(),
                body: "Since Monday".into(),
                category: "MAINTENANCE".into(),
                priority: Priority::Normal,
                status,
                assignee_id: Some(Uuid::from_u128(20)),
            },
            assignee_name: None,
            raised_by: Some(Uuid::from_u128(10)),
            raised_by_name: "Meera".into(),
            comments: 0,
            version: 1,
            created_at: Millis::new(0),
            updated_at: Millis::new(0),
            resolved_at: None,
        }
    }

    fn viewer(account: u128, employee: Option<u128>, manages: bool) -> Viewer {
        Viewer { account: Some(Uuid::from_u128(account)), employee: employee.map(Uuid::from_u128), manages }
    }

    #[test]
    fn nobody_else_sees_a_query_and_nobody_without_an_account_or_record_is_everybody() {
        let mut ticket = ticket(TicketStatus::Open);
        assert!(viewer(10, None, false).may_read(&ticket) && viewer(11, Some(20), false).may_read(&ticket));
        assert!(viewer(12, None, true).may_read(&ticket) && !viewer(12, None, false).may_read(&ticket));
        (ticket.raised_by, ticket.draft.assignee_id) = (None, None);
        let nobody = Viewer { account: None, employee: None, manages: false };
        assert!(!nobody.may_read(&ticket));
    }

    #[test]
    fn each_changes_what_is_theirs() {
        let ticket = ticket(TicketStatus::InProgress);
        let (raiser, assignee, manager) =
            (viewer(10, None, false), viewer(11, Some(20), false), viewer(12, None, true));
        let allowed = |who: Viewer, change: &dyn Fn(&mut Draft)| {
            let mut after = ticket.draft.clone();
            change(&mut after);
            who.may_change(&ticket, &after).is_ok()
        };
        let reword = |draft: &mut Draft| draft.body = "Since Sunday".into();
        assert!(allowed(raiser, &reword) && !allowed(assignee, &reword) && allowed(manager, &reword));
        let assign = |draft: &mut Draft| draft.assignee_id = None;
        assert!(!allowed(raiser, &assign) && !allowed(assignee, &assign) && allowed(manager, &assign));
        let resolve = |draft: &mut Draft| draft.status = TicketStatus::Resolved;
        assert!(!allowed(raiser, &resolve) && allowed(assignee, &resolve) && allowed(manager, &resolve));
        let close = |draft: &mut Draft| draft.status = TicketStatus::Closed;
        assert!(allowed(raiser, &close));
    }

    #[test]
    fn a_closed_query_is_reopened_before_anything_else() {
        let ticket = ticket(TicketStatus::Closed);
        for status in TicketStatus::ALL {
            let after = Draft { status: *status, ..ticket.draft.clone() };
            let outcome = viewer(12, None, true).may_change(&ticket, &after);
            let fits = matches!(status, TicketStatus::Open | TicketStatus::Closed);
            assert_eq!(outcome.is_ok(), fits, "{status:?}");
        }
        for status in TicketStatus::ALL {
            assert!(!status.followers().contains(status) && !status.followers().is_empty());
            assert_eq!(TicketStatus::of_name(status.name()), Some(*status));
        }
    }

    #[test]
    fn blank_words_are_named_together() {
        let draft = Draft { subject: " ".into(), body: String::new(), ..ticket(TicketStatus::Open).draft };
        let fields: Vec<String> = draft.checked().unwrap_err().into_iter().map(|field| field.name).collect();
        assert_eq!(fields, ["subject", "body"]);
    }
}
