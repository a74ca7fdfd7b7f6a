//! The kitchen, end to end on one store.
