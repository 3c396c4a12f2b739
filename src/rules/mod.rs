//! Judge: runs with their outcomes → findings. One file per rule.

pub mod finding;

pub use finding::{AskedAndRuns, Confidence, Finding, Key, Label, Severity};
