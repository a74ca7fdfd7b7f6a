//! Tests of what can happen to attendance.
