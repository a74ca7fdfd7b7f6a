//! What is installed: the Debian packages and the tarball, in a clean Debian that systemd has booted, through their whole life:
//! installed, used, upgraded, rolled back, removed, installed again, purged. Never passes by not running: what it needs is made by
//! `tests/run`, and missing parts are failures.

mod boxes;
mod edge;
mod hub;
mod machine;
mod readme;
mod settings;
mod stick;
mod tarball;
mod told;
