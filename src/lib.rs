//! fp8lint works out which precision a HuggingFace `accelerate` run would really train in, and reports each place
//! where that differs from what was asked.
//!
//! ```
//! use std::sync::Arc;
//!
//! use fp8lint::resolve::{Config, NoFiles, Run, Target};
//! use fp8lint::rules::Subject;
//! use fp8lint::source::{SourceFile, Syntax};
//! use fp8lint::{formats, knowledge, rules};
//!
//! let text = "\
//! distributed_type: FSDP
//! mixed_precision: fp16
//! num_processes: 8
//! fsdp_config:
//!   fp8: {backend: auto}
//! ";
//! // Read, as PyYAML does.
//! let file = Arc::new(SourceFile::from_text("accelerate.yaml", text));
//! let read = Syntax::of_name(&file.path).read(file.text());
//! // Recognise, by what it says.
//! let recognised = formats::recognise(file.text(), read.as_ref()).unwrap();
//! assert_eq!(recognised.kind, formats::Kind::Accelerate);
//! // Resolve: the run that is assumed for a config, under the newest accelerate.
//! let target = Target::newest(knowledge::releases());
//! let known = knowledge::accelerate(&target.accelerate.value).unwrap();
//! let run = Run::assumed(Config::of_file(file), &target);
//! let subject = Subject::new(&run, known.facts, &target, &NoFiles);
//! assert_eq!(subject.outcome.verdict.to_string(), "no-fp8:float16");
//! // Judge.
//! let findings = rules::judge(&subject);
//! assert_eq!((findings[0].code, findings[0].name), ("FP302", "fp8-block-in-section"));
//! assert!(findings[0].message.contains("the run trains in fp16"));
//! ```
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
