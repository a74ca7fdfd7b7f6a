//! What head office makes of a branch's log, written once for every store: epochs and lineages, the replay of owned rows, the
//! decision on proposals, quarantine, digests, the feed, snapshots. Each public function is a unit of work's content: it runs
//! in the transaction it is given and never sends anything.
