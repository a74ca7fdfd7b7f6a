//! Known bugs: mistakes that were made once, or nearly, and which tests put back one at a time to prove that they would be found. A
//! program that is built for use has none of them: nothing of a switch is left but a question that is always answered no.

/// Declares which known bugs there are in a part of a program: a struct with a switch for each, which the code asks by the method of the
/// same name. Only a test build has the switches: one with debug assertions, of the feature `known-bugs` or of the crate's own
/// unit tests. No release has debug assertions, whatever features it is built with.
#[macro_export]
macro_rules! known_bugs {
    ($(#[$about:meta])* $name:ident { $($(#[$what:meta])* $bug:ident)+ }) => {
        ::std::cfg_select! {
            all(debug_assertions, any(test, feature = "known-bugs")) => {
                $(#[$about])*
                #[derive(Debug, Clone, Copy, Default)]
                pub struct $name {
                    $($(#[$what])* pub $bug: bool,)+
                }

                impl $name {
                    $(pub(crate) fn $bug(self) -> bool { self.$bug })+
                }
            }
            _ => {
                $(#[$about])*
                #[derive(Debug, Clone, Copy, Default)]
                pub struct $name {}

                impl $name {
                    $(pub(crate) const fn $bug(self) -> bool { false })+
                }
            }
        }
    };
}
