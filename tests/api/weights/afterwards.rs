//! What becomes of weighed lines.
