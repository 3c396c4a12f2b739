//! Stage `knowledge`.
