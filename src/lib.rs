//! fp8lint works out which precision a HuggingFace `accelerate` run would really train in, and reports each place
//! where that differs from what was asked.
//!
//! ```
//! use std::sync::Arc;
//!
//! use fp8lint::resolve::{Config, NoFiles, Run, Target, resolve};
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
//! let outcome = resolve(&run, known.facts, &NoFiles);
//! assert_eq!(outcome.verdict.to_string(), "no-fp8:float16");
//! // Judge. A rule receives the run with its outcome.
//! let findings = rules::judge(&run, &target, &[], &NoFiles);
//! assert_eq!((findings[0].code, findings[0].name), ("FP302", "fp8-block-in-section"));
//! assert!(findings[0].message.contains("the run trains in fp16"));
//! ```
//!
//! A launch command makes one run of the files that it names:
//!
//! ```
//! use std::sync::Arc;
//!
//! use fp8lint::formats::launch::{self, NothingLoaded};
//! use fp8lint::resolve::assemble::assemble;
//! use fp8lint::resolve::{Files, Lookup, Target, resolve};
//! use fp8lint::source::SourceFile;
//! use fp8lint::{knowledge, rules};
//!
//! struct Repository;
//!
//! impl Files for Repository {
//!     fn look_up(&self, path: &str) -> Lookup {
//!         let text = match path {
//!             "accelerate.yaml" => "distributed_type: 'NO'\nmixed_precision: fp8\n",
//!             "recipe.yaml" => "output_dir: out\nmax_steps: 9\nlearning_rate: 0.00002\nlogging_steps: 1\nbf16: true\n",
//!             _ => return Lookup::Absent,
//!         };
//!         Lookup::Found(Arc::new(SourceFile::from_text(path, text)))
//!     }
//! }
//!
//! let text = "accelerate launch --config_file accelerate.yaml train.py recipe.yaml\n";
//! // Read and recognise: the shell is run on paper.
//! let file = Arc::new(SourceFile::from_text("train.sh", text));
//! let found = launch::read(&file, &NothingLoaded);
//! // Resolve: the command becomes a run, the run an outcome.
//! let target = Target::newest(knowledge::releases());
//! let known = knowledge::accelerate(&target.accelerate.value).unwrap();
//! let run = assemble(&found.commands[0], &target, &Repository);
//! let outcome = resolve(&run, known.facts, &Repository);
//! assert_eq!(outcome.verdict.to_string(), "no-fp8:bfloat16");
//! // Judge.
//! let findings = rules::judge(&run, &target, &[], &Repository);
//! assert_eq!((findings[0].code, findings[0].name), ("FP319", "recipe-beats-launch"));
//! ```
//!
//! The house has one way through. Each stage takes the previous stage's types and knows nothing of the next:
//!
//! | stage | module | takes → gives |
//! | --- | --- | --- |
//! | knowledge | [`knowledge`] | a version of accelerate or of a trainer → its keys, flags, enums and named behaviours |
//! | discover | [`discover`] | paths → candidate files |
//! | read | [`source`] | bytes → trees with exact byte spans, as PyYAML and Python's `json` read them |
//! | recognise | [`formats`] | text and tree → what this file says: its kind, and the launch commands, pins and settings in it |
//! | resolve | [`resolve`] | launch commands and files → runs; a run and a target → the outcome, with the origin of every value that decides |
//! | judge | [`rules`] | runs with their outcomes → findings |
//! | suppress | [`suppress`] | findings → those that are left, and those that somebody has set aside |
//! | fix | [`fix`] | the fixes of findings → new texts, or a patch |
//! | report | [`report`] | findings → text, JSON, and what GitLab, JUnit, reviewdog and other programs read |
//! | cli | [`cli`] | arguments → the above → exit code |

pub mod cli;
pub mod discover;
pub mod fix;
pub mod formats;
pub mod knowledge;
pub mod report;
pub mod resolve;
pub mod rules;
pub mod source;
pub mod suppress;
