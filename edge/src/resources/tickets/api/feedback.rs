//! Feedback over HTTP, for those who follow it up. Never for anybody else: it says who the guests are.

use super::super::actions;
use super::super::rules::TicketError;
use super::super::rules::feedback::{Feedback, FeedbackStatus, FollowUp, mean, net_promoter_score};
use super::super::store::{self, Figures, Wanted};
use crate::access::Cx;
use crate::http::{Code, Data, Id, Json, Paged, Paging, Patch, Problem, Query, Replace, Result, Updated};
use crate::resources::outlets;
use chrono::{Days, NaiveDate};
use tiffin_common::{Millis, Overflow, Quantity, Uuid};

/// The days of a summary unless the caller names others, and the most.
const USUAL_DAYS: u64 = 30;
const MOST_DAYS: u64 = 400;

view! {
    /// What a guest said.
    #[schemars(rename = "Feedback")]
    pub struct FeedbackView of feedback: Feedback {
        id: Uuid,
        order_id: Option<Uuid> = feedback.subject.order_id,
        order_number: Option<String> = feedback.subject.order_number,
        table_number: Option<String> = feedback.subject.table_number,
        rating: i64 = feedback.words.rating,
        /// How the food was, from 1 to 5; null when not said.
        food: Option<i64> = feedback.words.food,
        /// How the service was, from 1 to 5; null when not said.
        service: Option<i64> = feedback.words.service,
        /// How clean it was, from 1 to 5; null when not said.
        cleanliness: Option<i64> = feedback.words.cleanliness,
        /// How likely they come again or tell others, from 0 to 10; null when not said.
        nps: Option<i64> = feedback.words.nps,
        /// What the guest said in words.
        comment: Option<String> = feedback.words.comment,
        customer_name: Option<String> = feedback.words.guest.name,
        customer_phone: Option<String> = feedback.words.guest.phone,
        /// Whether the guest wants to be called.
        callback_wanted: bool = feedback.words.callback_wanted,
        status: FeedbackStatus = feedback.follow_up.status,
        /// Of those who follow it up.
        note: Option<String> = feedback.follow_up.note,
        /// The employee who follows it up.
        assignee_id: Option<Uuid> = feedback.follow_up.assignee_id,
        assignee_name: Option<String>,
        #[schemars(with = "String")]
        business_date: NaiveDate,
        version: i64,
        created_at: Millis,
        updated_at: Millis,
    }
}

/// Filters of the list.
#[apply(request!)]
pub struct ListFeedback {
    /// Only feedback with this rating.
    #[schemars(range(min = 1, max = 5))]
    rating: Option<i64>,
    /// Of this business date or later.
    from: Option<NaiveDate>,
    /// Of this business date or earlier.
    to: Option<NaiveDate>,
    /// Only guests who want to be called, or only others.
    callback_wanted: Option<bool>,
    /// Whether it is RESOLVED.
    handled: Option<bool>,
    #[serde(flatten)]
    paging: Paging,
}

/// Lists feedback.
pub async fn list_feedback(cx: Cx, Query(query): Query<ListFeedback>) -> Result<Paged<FeedbackView>> {
    let ListFeedback { rating, from, to, callback_wanted, handled, paging } = query;
    let wanted = Wanted { rating, from, to, callback_wanted, handled };
    cx.list(paging, move |conn, outlet| store::list_feedback(conn, outlet, &wanted, paging)).await
}

/// One guest's feedback.
pub async fn get_feedback(cx: Cx, Id(id): Id) -> Result<Data<FeedbackView>> {
    let found = cx.read(move |conn, outlet| store::find_feedback(conn, outlet, id)).await?;
    Ok(Data::new(found.ok_or(TicketError::NotFound("feedback"))?.into()))
}

/// How feedback is followed up.
#[apply(request!)]
pub struct UpdateFeedback {
    #[serde(default)]
    status: Replace<FeedbackStatus>,
    #[serde(default)]
    #[schemars(length(max = 2_000))]
    note: Patch<String>,
    #[serde(default)]
    assignee_id: Patch<Uuid>,
}

impl UpdateFeedback {
    fn over(self, current: FollowUp) -> FollowUp {
        FollowUp {
            status: self.status.apply(current.status),
            note: self.note.apply(current.note),
            assignee_id: self.assignee_id.apply(current.assignee_id),
        }
    }
}

/// Notes how feedback is followed up.
pub async fn update_feedback(
    cx: Cx,
    Id(id): Id,
    Json(body): Json<UpdateFeedback>,
) -> Result<Updated<FeedbackView>> {
    cx.change(move |tx, actor, expected| {
        let change = |follow_up| body.over(follow_up);
        actions::follow_up(tx, actor, id, expected, change)
    })
    .await
}

/// The days of a summary.
#[apply(request!)]
pub struct SummariseFeedback {
    /// The first business date; 30 days before the last unless given.
    from: Option<NaiveDate>,
    /// The last business date; today unless given.
    to: Option<NaiveDate>,
}

/// How many gave each rating.
#[apply(answer!)]
pub struct RatingCount {
    rating: i64,
    /// How many guests gave this rating.
    count: i64,
}

/// How likely guests recommend the restaurant.
#[apply(answer!)]
pub struct Nps {
    /// The share of promoters less that of detractors, −100 to 100; null while nobody has answered.
    score: Option<i64>,
    /// 9 and 10.
    promoters: i64,
    /// 7 and 8.
    passives: i64,
    /// 0 to 6.
    detractors: i64,
}

/// What guests say, in figures.
#[apply(answer!)]
pub struct FeedbackSummary {
    /// The first business date, included.
    from: NaiveDate,
    /// The last business date, included.
    to: NaiveDate,
    /// How many guests gave feedback.
    count: i64,
    /// Two decimals; null while there is none.
    average_rating: Option<Quantity>,
    average_food: Option<Quantity>,
    average_service: Option<Quantity>,
    average_cleanliness: Option<Quantity>,
    /// One to five.
    by_rating: Vec<RatingCount>,
    /// How likely guests come again or tell others.
    nps: Nps,
    /// Guests who wait for a call.
    callbacks_open: i64,
    /// Ratings of 1 and 2 nobody has dealt with.
    low_ratings_open: i64,
}

impl FeedbackSummary {
    fn of(from: NaiveDate, to: NaiveDate, figures: &Figures) -> Result<FeedbackSummary, Overflow> {
        let (mut count, mut stars) = (0_i64, 0_i64);
        let mut by_rating = Vec::new();
        for (rating, given) in (1_i64..).zip(figures.by_rating) {
            count = count.checked_add(given).ok_or(Overflow)?;
            stars = rating.checked_mul(given).and_then(|sum| stars.checked_add(sum)).ok_or(Overflow)?;
            by_rating.push(RatingCount { rating, count: given });
        }
        let [food, service, cleanliness] = figures.aspects;
        let [promoters, passives, detractors] = figures.promoters;
        let answers = promoters.saturating_add(passives).saturating_add(detractors);
        let score = net_promoter_score(promoters, detractors, answers)?;
        Ok(FeedbackSummary {
            from,
            to,
            count,
            average_rating: mean(stars, count)?,
            average_food: mean(food.0, food.1)?,
            average_service: mean(service.0, service.1)?,
            average_cleanliness: mean(cleanliness.0, cleanliness.1)?,
            by_rating,
            nps: Nps { score, promoters, passives, detractors },
            callbacks_open: figures.callbacks_open,
            low_ratings_open: figures.low_open,
        })
    }
}

/// Feedback in figures.
pub async fn get_feedback_summary(
    cx: Cx,
    Query(query): Query<SummariseFeedback>,
) -> Result<Data<FeedbackSummary>> {
    let now = cx.db.env().clock.now();
    cx.get(move |conn, outlet| -> Result<_> {
        let today = outlets::store::find(conn, outlet)?.business_date(now);
        let to = query.to.unwrap_or(today);
        let from = query.from.unwrap_or_else(|| before(to, USUAL_DAYS));
        if from > to || from < before(to, MOST_DAYS) {
            let reason = format!("must be within {MOST_DAYS} days before to");
            return Err(Problem::new(Code::BadRequest)
                .detail(format!("from {reason}"))
                .with_field("from", reason));
        }
        let figures = store::sum_feedback(conn, outlet, from, to)?;
        Ok(FeedbackSummary::of(from, to, &figures)?)
    })
    .await
}

fn before(date: NaiveDate, days: u64) -> NaiveDate {
    date.checked_sub_days(Days::new(days)).unwrap_or(NaiveDate::MIN)
}
