//! Resolve: a run and a target → the outcome, with the origin of every value that decides.

pub mod outcome;
pub mod run;
pub mod target;

pub use outcome::{
    Backend, Cause, Decision, Exception, Launch, LauncherKind, Outcome, Prepare, Runtime, Variable,
    Verdict,
};
pub use run::{
    Ask, Code, Config, ConfigFile, Files, Launcher, Lookup, Machine, NoFiles, Origin, Place, Run,
    Stage, Value, Voice, Word,
};
pub use target::Target;
