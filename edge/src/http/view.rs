//! What a client sees of a record, declared once with where each field comes from. Never decides who may see it.

/// Declares an answer and makes it from a record: a field is the record's of its name, or what `=` says. Where the record alone does
/// not tell (`of drawer: Drawer, now: Millis`) it is made by `of`; where it may fail (`of drawer: Drawer | Overflow`), by
/// `try_from`. In what `=` says may stand the fields before it that say so too.
///
/// ```
/// # struct Drawer { name: String, float: i64 }
/// edge::view! {
///     /// A cash drawer.
///     pub struct CashDrawer of drawer: Drawer {
///         /// Its name.
///         name: String,
///         /// What it began with.
///         float_cents: i64 = drawer.float,
///     }
/// }
/// assert_eq!(CashDrawer::from(Drawer { name: "MAIN".into(), float: 5 }).float_cents, 5);
/// ```
#[macro_export]
macro_rules! view {
    ($(#[$meta:meta])* $vis:vis struct $name:ident of $record:ident: $of:ty $(| $error:ty)? $(, $with:ident: $with_type:ty)* {
        $($(#[$field_meta:meta])* $field_vis:vis $field:ident: $type:ty $(= $value:expr)?),* $(,)?
    }) => {
        #[derive(Debug, serde::Serialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase")]
        $(#[$meta])*
        $vis struct $name { $($(#[$field_meta])* $field_vis $field: $type,)* }

        $crate::view!(@make $vis $name $record ($of $(| $error)?) ($($with: $with_type),*) {
            $($field $(= $value)?),*
        });
    };
    (@make $vis:vis $name:ident $record:ident ($of:ty | $error:ty) () { $($field:ident $(= $value:expr)?),* }) => {
        impl TryFrom<$of> for $name {
            type Error = $error;

            fn try_from($record: $of) -> Result<Self, $error> {
                $($(let $field = $value;)?)*
                Ok($name { $($field: $crate::view!(@ $record $field $($value)?)),* })
            }
        }
    };
    (@make $vis:vis $name:ident $record:ident ($of:ty) () { $($field:ident $(= $value:expr)?),* }) => {
        impl From<$of> for $name {
            fn from($record: $of) -> Self {
                // First what looks at the whole record, then what is moved out of it.
                $($(let $field = $value;)?)*
                $name { $($field: $crate::view!(@ $record $field $($value)?)),* }
            }
        }
    };
    (@make $vis:vis $name:ident $record:ident ($of:ty | $error:ty) ($($with:ident: $with_type:ty),+) {
        $($field:ident $(= $value:expr)?),*
    }) => {
        impl $name {
            /// What is seen of the record under these circumstances.
            $vis fn of($record: $of, $($with: $with_type),+) -> Result<Self, $error> {
                $($(let $field = $value;)?)*
                Ok($name { $($field: $crate::view!(@ $record $field $($value)?)),* })
            }
        }
    };
    (@make $vis:vis $name:ident $record:ident ($of:ty) ($($with:ident: $with_type:ty),+) {
        $($field:ident $(= $value:expr)?),*
    }) => {
        impl $name {
            /// What is seen of the record under these circumstances.
            $vis fn of($record: $of, $($with: $with_type),+) -> Self {
                $($(let $field = $value;)?)*
                $name { $($field: $crate::view!(@ $record $field $($value)?)),* }
            }
        }
    };
    (@ $record:ident $field:ident) => { $record.$field };
    (@ $record:ident $field:ident $value:expr) => { $field };
}
