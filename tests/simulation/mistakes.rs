//! What is put into the programs before they begin: nothing, unless `bugs` puts a known bug back.

use edge::sync::Settings;
use sync_hub::hub::Hub;

/// What a test changes about the programs.
#[derive(Debug, Clone, Copy)]
pub struct Mistakes {
    /// About head office.
    pub office: fn(Hub) -> Hub,
    /// About every branch's exchange.
    pub branch: fn(Settings) -> Settings,
}

/// The programs as they are.
pub const NONE: Mistakes = Mistakes { office: |hub| hub, branch: |settings| settings };
