//! A ticket and what a cook, a void or a split can do to it. Pure: it changes the value it is handed, nothing else.
//!
//! Every verb is idempotent: a second tap finds it done and changes nothing.

use super::{ItemStatus, KitchenError, Result, TicketStatus, TicketType, Verb};
use crate::resources::menu::rules::WeightUnit;
use chrono::NaiveDate;
use tiffin_common::{Millis, Quantity, Uuid};

table! {
    /// One line on a ticket.
    #[derive(PartialEq, Eq)]
    pub struct TicketItem: kitchen_ticket_items {
        /// The id.
        pub id: Uuid,
        /// The order the line belongs to now.
        pub order_id: Uuid,
        /// The order's line.
        pub order_item_id: Uuid,
        /// The dish.
        pub menu_item_id: Uuid,
        /// The variant of it.
        pub variant_id: Option<Uuid>,
        /// What cooks call it.
        pub name: String,
        /// What the combo is called that it is a component of.
        pub combo_name: Option<String>,
        /// Portions.
        pub quantity: i64,
        /// How much of it, where it is sold by weight.
        pub weight: Option<Quantity>,
        /// What it was weighed in.
        pub weight_unit: Option<WeightUnit>,
        /// Chosen options and kitchen notes.
        pub modifiers: Vec<String> => json,
        /// A note for this line.
        pub notes: Option<String>,
        /// Whose plate.
        pub seat_number: Option<i64>,
        /// Where it stands.
        pub status: ItemStatus,
        /// When it was started.
        pub started_at: Option<Millis>,
        /// When it was ready.
        pub ready_at: Option<Millis>,
        /// What is in the dish that guests must not eat unknowing.
        pub allergens: Vec<String> => none,
    }
}

/// What a ticket tells of its order; read with it, kept with the order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OfOrder {
    /// Who serves: the employee, or the account.
    pub server_id: Option<Uuid>,
    /// What to call them.
    pub server_name: Option<String>,
    /// How many guests.
    pub guest_count: Option<i64>,
    /// What to call the guest.
    pub customer_name: Option<String>,
    /// When the guest wants it.
    pub scheduled_for: Option<Millis>,
}

table! {
    /// A kitchen ticket with its items (contract section 7).
    #[derive(PartialEq, Eq)]
    pub struct Ticket: kitchen_tickets {
        /// The id.
        pub id: Uuid,
        /// The outlet.
        pub outlet_id: Uuid,
        /// The station.
        pub station_id: Uuid,
        /// The station's name.
        pub station_name: String => none,
        /// Per station and business date, from 1.
        pub ticket_number: i64,
        /// The day its number counts in.
        pub business_date: NaiveDate,
        /// The order it was made for, or that took over all its lines.
        pub order_id: Uuid,
        /// The order's number.
        pub order_number: String,
        /// The number that is called out.
        pub token_number: i64,
        /// The order's type.
        pub order_type: String,
        /// The order's table.
        pub table_number: Option<String>,
        /// Why there is a ticket.
        pub kind: TicketType => type,
        /// The course.
        pub course: i64,
        /// Where it stands.
        pub status: TicketStatus,
        /// Higher is cooked first.
        pub priority: i64,
        /// Notes.
        pub notes: Option<String>,
        /// COPY n of a reprint; of other tickets, how many copies were made.
        pub copy_number: i64,
        /// The ticket a slip is about.
        pub refers_to_id: Option<Uuid>,
        /// Minutes from firing to ready.
        pub target_minutes: i64,
        /// When it was made.
        pub created_at: Millis,
        /// When the kitchen was told to cook.
        pub fired_at: Option<Millis>,
        /// When the first item was started.
        pub started_at: Option<Millis>,
        /// When the last item was ready.
        pub ready_at: Option<Millis>,
        /// When it went out.
        pub served_at: Option<Millis>,
        /// When it was cancelled.
        pub cancelled_at: Option<Millis>,
        /// When it should be ready.
        pub target_ready_at: Option<Millis>,
        /// When a display or the paper had it.
        pub acked_at: Option<Millis>,
        /// When nobody had acknowledged it in time.
        pub escalated_at: Option<Millis>,
        /// The fallback station that shows it since.
        pub escalated_to_id: Option<Uuid>,
        /// How often it came back from READY or SERVED.
        pub recalled_count: i64,
        /// 1, 2, ….
        pub version: i64,
        /// When it was last changed.
        pub updated_at: Millis,
        /// What its order says.
        pub of_order: OfOrder => none,
        /// Its lines.
        pub items: Vec<TicketItem> => none,
    }
}

impl TicketItem {
    /// Whether it is still wanted.
    pub fn is_live(&self) -> bool {
        self.status != ItemStatus::Cancelled
    }

    /// How much of it there is: portions, or what they weigh.
    pub fn amount(&self) -> String {
        match self.weight.zip(self.weight_unit) {
            Some((weight, unit)) => unit.said(weight),
            None => self.quantity.to_string(),
        }
    }

    fn begin(&mut self, now: Millis) {
        self.status = ItemStatus::InPreparation;
        self.started_at.get_or_insert(now);
        self.ready_at = None;
    }

    fn finish(&mut self, now: Millis) {
        self.status = ItemStatus::Ready;
        self.started_at.get_or_insert(now);
        self.ready_at = Some(now);
    }
}

impl Ticket {
    /// Whether it is past its target: still cooking, or was ready too late.
    pub fn is_late(&self, now: Millis) -> bool {
        let counts = !matches!(self.status, TicketStatus::Held | TicketStatus::Cancelled);
        counts && self.target_ready_at.is_some_and(|target| self.ready_at.unwrap_or(now) > target)
    }

    /// Whether the cooks may know of it: on a display that acknowledged it, on paper, or on the fire.
    pub fn is_seen(&self) -> bool {
        self.acked_at.is_some() || self.escalated_at.is_some() || self.started_at.is_some()
    }

    /// Whether the station still has to do with it.
    pub fn is_open(&self) -> bool {
        !matches!(self.status, TicketStatus::Served | TicketStatus::Cancelled)
    }

    /// Does `verb`; whether that changed anything.
    ///
    /// # Errors
    /// [`KitchenError::Transition`] naming what is possible instead.
    pub fn act(&mut self, verb: Verb, now: Millis) -> Result<bool> {
        if !self.kind.is_cooked() {
            return self.act_on_slip(verb, now);
        }
        let before = self.clone();
        if verb == Verb::Ack {
            // A held ticket is acknowledged when it is fired: before, there is nothing to do.
            if self.status != TicketStatus::Held {
                self.acked_at.get_or_insert(now);
            }
            return Ok(*self != before);
        }
        self.refuse_unless_fired(verb)?;
        let done = matches!(self.status, TicketStatus::Ready | TicketStatus::Served);
        match verb {
            Verb::Start if !done => self.each_live(|item| {
                if item.status == ItemStatus::Queued {
                    item.begin(now);
                }
            }),
            Verb::Ready | Verb::Serve if !done => self.finish_all(now),
            Verb::Recall if done => self.recall(now),
            _ => {}
        }
        if self.items != before.items {
            self.acked_at.get_or_insert(now);
            self.settle(now);
        }
        if verb == Verb::Serve && self.status == TicketStatus::Ready {
            self.status = TicketStatus::Served;
            self.served_at = Some(now);
        }
        Ok(*self != before)
    }

    /// Starts or finishes one item; whether that changed anything.
    ///
    /// # Errors
    /// [`KitchenError::NotFound`] when the ticket has no such item; [`KitchenError::Transition`].
    pub fn act_on_item(&mut self, item_id: Uuid, verb: Verb, now: Millis) -> Result<bool> {
        if !self.items.iter().any(|item| item.id == item_id) {
            return Err(KitchenError::NotFound("ticket item"));
        }
        if !self.kind.is_cooked() {
            return self.act_on_slip(verb, now);
        }
        self.refuse_unless_fired(verb)?;
        let Some(item) = self.items.iter_mut().find(|item| item.id == item_id) else { return Ok(false) };
        match (verb, item.status) {
            (_, ItemStatus::Cancelled) => {
                return Err(KitchenError::Transition("the item was cancelled".into()));
            }
            (Verb::Start, ItemStatus::Queued) => item.begin(now),
            (Verb::Ready, ItemStatus::Queued | ItemStatus::InPreparation) => item.finish(now),
            _ => return Ok(false),
        }
        self.acked_at.get_or_insert(now);
        self.settle(now);
        Ok(true)
    }

    /// Lets a held course go to the kitchen; whether it was held.
    pub fn fire(&mut self, now: Millis) -> bool {
        if self.status != TicketStatus::Held {
            return false;
        }
        self.status = TicketStatus::Queued;
        self.fired_at = Some(now);
        self.target_ready_at = Some(now.after(self.target_minutes.saturating_mul(60_000)));
        true
    }

    /// Takes `quantity` portions of an item off the ticket and returns them as they were. What has gone out stays.
    pub fn take_off(&mut self, item_id: Uuid, quantity: i64, now: Millis) -> Option<TicketItem> {
        if self.status == TicketStatus::Served {
            return None;
        }
        let item = self.items.iter_mut().find(|item| item.id == item_id && item.is_live())?;
        let taken = TicketItem { quantity: quantity.min(item.quantity), ..item.clone() };
        if taken.quantity <= 0 {
            return None;
        }
        if taken.quantity == item.quantity {
            item.status = ItemStatus::Cancelled;
        } else {
            item.quantity -= taken.quantity;
        }
        self.settle(now);
        Some(taken)
    }

    /// Makes the ticket's state follow from its items'.
    fn settle(&mut self, now: Millis) {
        if matches!(self.status, TicketStatus::Served | TicketStatus::Cancelled) {
            return;
        }
        let mut live = self.items.iter().filter(|item| item.is_live()).peekable();
        if live.peek().is_none() {
            self.status = TicketStatus::Cancelled;
            self.cancelled_at = Some(now);
            return;
        }
        let (mut ready, mut begun) = (true, false);
        for item in live {
            ready &= item.status == ItemStatus::Ready;
            begun |= item.status != ItemStatus::Queued;
        }
        if begun {
            self.started_at.get_or_insert(now);
            self.status = if ready { TicketStatus::Ready } else { TicketStatus::InPreparation };
            self.ready_at = if ready { self.ready_at.or(Some(now)) } else { None };
        }
    }

    fn act_on_slip(&mut self, verb: Verb, now: Millis) -> Result<bool> {
        match verb {
            Verb::Ack | Verb::Serve if self.status == TicketStatus::Queued => {
                self.acked_at.get_or_insert(now);
                self.served_at = Some(now);
                self.status = TicketStatus::Served;
                Ok(true)
            }
            Verb::Ack | Verb::Serve => Ok(false),
            other => {
                let (kind, verb) = (self.kind.name(), other.name());
                Err(KitchenError::Transition(format!(
                    "{kind} is not cooked: {verb} is not possible, only ack"
                )))
            }
        }
    }

    fn refuse_unless_fired(&self, verb: Verb) -> Result<()> {
        let verb = verb.name();
        match self.status {
            TicketStatus::Held => {
                Err(KitchenError::Transition(format!("the course is held: fire it before {verb}")))
            }
            TicketStatus::Cancelled => {
                Err(KitchenError::Transition(format!("the ticket was cancelled: {verb} is not possible")))
            }
            _ => Ok(()),
        }
    }

    fn each_live(&mut self, change: impl Fn(&mut TicketItem)) {
        self.items.iter_mut().filter(|item| item.is_live()).for_each(change);
    }

    fn finish_all(&mut self, now: Millis) {
        self.each_live(|item| {
            if item.status != ItemStatus::Ready {
                item.finish(now);
            }
        });
    }

    fn recall(&mut self, now: Millis) {
        self.each_live(|item| item.begin(now));
        self.recalled_count = self.recalled_count.saturating_add(1);
        self.served_at = None;
        self.ready_at = None;
        self.status = TicketStatus::InPreparation;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ticket(status: TicketStatus, items: usize) -> Ticket {
        let id = Uuid::nil();
        let item = |n: usize| TicketItem {
            id: Uuid::from_u128(n as u128),
            order_id: id,
            order_item_id: id,
            menu_item_id: id,
            variant_id: None,
            name: format!("Dish {n}"),
            combo_name: None,
            quantity: 2,
            weight: None,
            weight_unit: None,
            modifiers: Vec::new(),
            notes: None,
            seat_number: None,
            status: ItemStatus::Queued,
            started_at: None,
            ready_at: None,
            allergens: Vec::new(),
        };
        Ticket {
            id,
            outlet_id: id,
            station_id: id,
            station_name: "Grill".into(),
            ticket_number: 1,
            business_date: NaiveDate::default(),
            order_id: id,
            order_number: "B-1".into(),
            token_number: 1,
            order_type: "DINE_IN".into(),
            table_number: None,
            kind: TicketType::New,
            course: 1,
            status,
            priority: 0,
            notes: None,
            copy_number: 0,
            refers_to_id: None,
            target_minutes: 10,
            created_at: at(0),
            fired_at: Some(at(0)),
            started_at: None,
            ready_at: None,
            served_at: None,
            cancelled_at: None,
            target_ready_at: Some(at(600)),
            acked_at: None,
            escalated_at: None,
            escalated_to_id: None,
            recalled_count: 0,
            version: 1,
            updated_at: at(0),
            of_order: OfOrder::default(),
            items: (0..items).map(item).collect(),
        }
    }

    fn at(seconds: i64) -> Millis {
        Millis::new(seconds * 1_000)
    }

    #[test]
    fn items_lead_and_the_ticket_follows() {
        let mut t = ticket(TicketStatus::Queued, 2);
        assert!(t.act_on_item(Uuid::from_u128(0), Verb::Start, at(1)).unwrap());
        assert_eq!(
            (t.status, t.started_at, t.acked_at),
            (TicketStatus::InPreparation, Some(at(1)), Some(at(1)))
        );
        assert!(t.act_on_item(Uuid::from_u128(0), Verb::Ready, at(2)).unwrap());
        assert_eq!(t.status, TicketStatus::InPreparation);
        assert!(t.act_on_item(Uuid::from_u128(1), Verb::Ready, at(3)).unwrap());
        assert_eq!((t.status, t.ready_at), (TicketStatus::Ready, Some(at(3))));
        assert!(matches!(
            t.act_on_item(Uuid::from_u128(9), Verb::Ready, at(3)),
            Err(KitchenError::NotFound(_))
        ));
    }

    #[test]
    fn a_recalled_ticket_is_cooked_again_and_counted() {
        let mut t = ticket(TicketStatus::Queued, 1);
        t.act(Verb::Serve, at(5)).unwrap();
        assert_eq!((t.status, t.served_at, t.ready_at), (TicketStatus::Served, Some(at(5)), Some(at(5))));
        assert!(t.act(Verb::Recall, at(6)).unwrap());
        assert!(!t.act(Verb::Recall, at(7)).unwrap());
        assert_eq!((t.status, t.recalled_count, t.served_at), (TicketStatus::InPreparation, 1, None));
        t.act(Verb::Ready, at(8)).unwrap();
        assert_eq!((t.ready_at, t.started_at), (Some(at(8)), Some(at(5))));
    }

    #[test]
    fn held_and_cancelled_tickets_are_not_cooked() {
        for status in [TicketStatus::Held, TicketStatus::Cancelled] {
            for verb in [Verb::Start, Verb::Ready, Verb::Serve, Verb::Recall] {
                let refused = ticket(status, 1).act(verb, at(1));
                assert!(matches!(refused, Err(KitchenError::Transition(_))), "{status:?} {verb:?}");
            }
        }
        let mut held = ticket(TicketStatus::Held, 1);
        assert!(!held.act(Verb::Ack, at(1)).unwrap());
        assert!(held.fire(at(60)) && !held.fire(at(61)));
        assert_eq!((held.target_ready_at, held.acked_at), (Some(at(660)), None));
    }

    #[test]
    fn a_slip_is_done_once_acknowledged_and_never_cooked() {
        let mut slip = Ticket { kind: TicketType::Cancellation, ..ticket(TicketStatus::Queued, 1) };
        assert!(matches!(slip.act(Verb::Start, at(1)), Err(KitchenError::Transition(_))));
        assert!(slip.act(Verb::Ack, at(1)).unwrap());
        assert!(!slip.act(Verb::Ack, at(2)).unwrap());
        assert_eq!(slip.status, TicketStatus::Served);
    }

    #[test]
    fn a_ticket_with_nothing_left_is_cancelled_and_one_with_only_ready_items_is_ready() {
        let mut t = ticket(TicketStatus::Queued, 2);
        t.act_on_item(Uuid::from_u128(0), Verb::Ready, at(1)).unwrap();
        assert_eq!(t.take_off(Uuid::from_u128(1), 1, at(2)).map(|i| i.quantity), Some(1));
        assert_eq!(t.status, TicketStatus::InPreparation);
        assert_eq!(t.take_off(Uuid::from_u128(1), 9, at(3)).map(|i| i.quantity), Some(1));
        assert_eq!((t.status, t.ready_at), (TicketStatus::Ready, Some(at(3))));
        assert_eq!(t.take_off(Uuid::from_u128(1), 1, at(4)), None);
        t.take_off(Uuid::from_u128(0), 2, at(5));
        assert_eq!((t.status, t.cancelled_at), (TicketStatus::Cancelled, Some(at(5))));
    }

    #[test]
    fn late_is_past_the_target_while_cooking_or_when_it_was_ready() {
        let mut t = ticket(TicketStatus::Queued, 1);
        assert_eq!((t.is_late(at(600)), t.is_late(at(601))), (false, true));
        t.act(Verb::Ready, at(500)).unwrap();
        assert!(!t.is_late(at(10_000)));
    }

    proptest! {
        /// Complaint 4: a double tap is one tap, whatever was done before.
        #[test]
        fn the_kitchen_gets_a_ticket_twice_never_by_a_double_tap(taps in proptest::collection::vec((0usize..5, 0usize..4), 0..12)) {
            const VERBS: [Verb; 5] = [Verb::Ack, Verb::Start, Verb::Ready, Verb::Serve, Verb::Recall];
            let mut t = ticket(TicketStatus::Queued, 3);
            for (step, (verb, item)) in taps.into_iter().enumerate() {
                let now = at(step as i64 + 1);
                let tap = |t: &mut Ticket, now| match item {
                    3 => t.act(VERBS[verb], now),
                    n => t.act_on_item(Uuid::from_u128(n as u128), [Verb::Start, Verb::Ready][verb % 2], now),
                };
                tap(&mut t, now).unwrap();
                let once = t.clone();
                prop_assert!(!tap(&mut t, now.after(300)).unwrap());
                prop_assert_eq!(&t, &once);
                let all_ready = t.items.iter().all(|i| i.status == ItemStatus::Ready);
                prop_assert_eq!(all_ready, matches!(t.status, TicketStatus::Ready | TicketStatus::Served));
                prop_assert_eq!(all_ready, t.ready_at.is_some());
            }
        }
    }
}
