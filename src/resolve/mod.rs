//! Stage `resolve`.
