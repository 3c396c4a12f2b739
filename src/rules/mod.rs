//! Stage `rules`.
