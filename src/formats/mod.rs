//! Stage `formats`.
