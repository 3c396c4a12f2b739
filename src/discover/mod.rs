//! Stage `discover`.
