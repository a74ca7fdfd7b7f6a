//! Keeping what a box knows, with the real binaries: backups and what comes back from them, disks that fill up, what a doctor finds.

mod doctor;
mod space;
