//! What each group of routes is about, for the published document. Never knows a route.

/// A heading and some sentences for each group.
const GROUPS: &str = include_str!("groups.md");

/// What `group` is about; nothing for a group that nobody described.
pub(super) fn about(group: &str) -> String {
    let mut sections = GROUPS.split("\n## ").filter_map(|section| section.split_once('\n'));
    let found = sections.find(|(name, _)| *name == group);
    found.map(|(_, text)| text.split_whitespace().collect::<Vec<_>>().join(" ")).unwrap_or_default()
}
