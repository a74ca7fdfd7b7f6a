//! What a handler's arguments and answer say of themselves in the published document: declared once, in its signature. Never looks at
//! a request.

use super::operation::{Operation, SchemaOf, Success};
use crate::http::{Created, Data, Id, Json, MaybeJson, Paged, Path, Query, Updated};
use axum::body::Bytes;
use axum::extract::{Extension, Request, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use axum::response::Response;
use schemars::JsonSchema;

impl Operation {
    /// The query parameters are the fields of `T`.
    pub(crate) fn query_of<T: JsonSchema>(&mut self) {
        self.query = Some(|generator| T::json_schema(generator));
    }

    /// The body is a `T`.
    pub(crate) fn body_of<T: JsonSchema>(&mut self, media_type: &'static str) {
        self.body = Some((media_type, |generator| generator.subschema_for::<T>()));
    }

    /// The success answer is a bare `T`.
    pub(crate) fn answer_of<T: JsonSchema>(&mut self, status: StatusCode) {
        let schema: SchemaOf = |generator| generator.subschema_for::<T>();
        self.success = Success { status, schema: Some(schema), ..Operation::default().success };
    }
}

/// An argument of a handler, or what it answers.
pub trait Describe {
    /// Adds what the document says of it: nothing, unless told otherwise.
    fn describe(_: &mut Operation) {}
}

impl<T> Describe for State<T> {}
impl<T> Describe for Extension<T> {}
impl<T> Describe for Path<T> {}
impl<T> Describe for Option<T> {}
impl Describe for Bytes {}
impl Describe for HeaderMap {}
impl Describe for Id {}
impl Describe for Request {}
impl Describe for Response {}
impl Describe for Uri {}

impl<T: JsonSchema> Describe for Query<T> {
    fn describe(operation: &mut Operation) {
        operation.query_of::<T>();
    }
}

impl<T: JsonSchema> Describe for Json<T> {
    fn describe(operation: &mut Operation) {
        operation.body_of::<T>("application/json");
    }
}

impl<T: JsonSchema> Describe for MaybeJson<T> {
    fn describe(operation: &mut Operation) {
        operation.body_of::<T>("application/json");
        operation.body_is_optional = true;
    }
}

impl<T: JsonSchema> Describe for Data<T> {
    fn describe(operation: &mut Operation) {
        operation.answer_of::<Data<T>>(StatusCode::OK);
    }
}

impl<T: JsonSchema> Describe for Paged<T> {
    fn describe(operation: &mut Operation) {
        operation.answer_of::<Paged<T>>(StatusCode::OK);
    }
}

impl<T: JsonSchema> Describe for Created<T> {
    fn describe(operation: &mut Operation) {
        operation.answer_of::<Data<T>>(StatusCode::CREATED);
    }
}

impl<T: JsonSchema> Describe for Updated<T> {
    fn describe(operation: &mut Operation) {
        operation.answer_of::<Data<T>>(StatusCode::OK);
    }
}

impl<T: Describe, E> Describe for Result<T, E> {
    fn describe(operation: &mut Operation) {
        T::describe(operation);
    }
}

/// A handler whose arguments and answer describe themselves. `Arguments` is for the compiler alone.
pub trait Described<Arguments> {
    /// What the document says of the operation.
    fn operation() -> Operation;
}

macro_rules! functions {
    ($(($($argument:ident)*))*) => {
        $(impl<F, A, $($argument),*> Described<($($argument,)*)> for F
        where
            F: Fn($($argument),*) -> A,
            A: Future<Output: Describe>,
            $($argument: Describe),*
        {
            fn operation() -> Operation {
                let mut operation = Operation::default();
                $($argument::describe(&mut operation);)*
                <A::Output>::describe(&mut operation);
                operation
            }
        })*
    };
}

functions! { () (T) (T U) (T U V) (T U V W) (T U V W X) (T U V W X Y) }
