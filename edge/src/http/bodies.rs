//! What everything a client sends and everything it is answered derives, said once. Use as `#[apply(request!)]` before the
//! declaration. Never says what is in a body.

/// What a client sends.
macro_rules! request {
    ($($item:tt)*) => {
        #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase")]
        $($item)*
    };
}

/// What a client sends of which every field may be missing.
macro_rules! filters {
    ($($item:tt)*) => {
        #[derive(Debug, Default, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase", default)]
        $($item)*
    };
}

/// What a client is answered.
macro_rules! answer {
    ($($item:tt)*) => {
        #[derive(Debug, serde::Serialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase")]
        $($item)*
    };
}

/// What is worked out and answered as it is.
macro_rules! figures {
    ($($item:tt)*) => {
        #[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase")]
        $($item)*
    };
}

/// A value that is sent, kept and answered in one form.
macro_rules! value {
    ($($item:tt)*) => {
        #[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        #[serde(rename_all = "camelCase")]
        $($item)*
    };
}
