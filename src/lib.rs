//! fp8lint works out which precision a HuggingFace `accelerate` run would really train in, and reports each place
//! where that differs from what was asked.
//!
//! The house has one way through. Each stage takes the previous stage's types and knows nothing of the next:
//!
//! | stage | module | takes → gives |
//! | --- | --- | --- |
//! | knowledge | [`knowledge`] | a version of accelerate → its keys, flags, enums and named behaviours |
//! | discover | [`discover`] | paths → candidate files |
//! | read | [`source`] | bytes → trees with exact byte spans, as PyYAML and Python's `json` read them |
//! | recognise | [`formats`] | tree → what this file says |
//! | resolve | [`resolve`] | a run and a target → the outcome, with the origin of every value that decides |
//! | judge | [`rules`] | runs with their outcomes → findings |
//! | report | [`report`] | findings → text, concise, JSON |
//! | cli | [`cli`] | arguments → the above → exit code |

pub mod cli;
pub mod discover;
pub mod formats;
pub mod knowledge;
pub mod report;
pub mod resolve;
pub mod rules;
pub mod source;
