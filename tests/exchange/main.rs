//! The exchange between real processes: branches, head offices on SQLite and on PostgreSQL, a bad network between them, `kill -9` of
//! either at any moment, and disks that are put back.

mod network;
