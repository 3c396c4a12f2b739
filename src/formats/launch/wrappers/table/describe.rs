//! How wrappers are described.

/// How a wrapper's words are read. Lists of options are separated by blanks.
pub(in super::super) struct Wrapper {
    /// Its name, with the subcommand: `uv run`.
    pub(in super::super) name: &'static str,
    /// Options without a value.
    pub(in super::super) plain: &'static str,
    /// Options with one value.
    pub(in super::super) valued: &'static str,
    /// Options with two values.
    pub(in super::super) paired: &'static str,
    /// Those whose value sets variables: `NAME=value`, several parted by commas.
    pub(in super::super) sets: &'static str,
    /// Those whose value names a variable that is taken away.
    pub(in super::super) unsets: &'static str,
    /// Those whose value is a file of variables.
    pub(in super::super) loads: &'static str,
    /// Those whose value is the folder to run in.
    pub(in super::super) enters: &'static str,
    /// Those after which the command is a Python module.
    pub(in super::super) modules: &'static str,
    /// Whether variables are set by words before the command: `env NAME=value`.
    pub(in super::super) takes_assignments: bool,
    /// How many operands precede the command.
    pub(in super::super) operands: usize,
    /// Whether the command is what follows `--`, and nothing else.
    pub(in super::super) only_after_dashes: bool,
    /// Whether it is one only for a shell with a text among its words: what else it is given runs as a text of its own
    /// (`ssh`), or with words that are not here (`xargs`).
    pub(in super::super) only_shells: bool,
    /// What becomes of the variables that are exported.
    pub(in super::super) inherits: Inherits,
    /// Whether the command sees other files, those of an image.
    pub(in super::super) is_elsewhere: bool,
    /// Whether a Python file may stand as the command.
    pub(in super::super) runs_python: bool,
}

/// What becomes of the variables that are exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Inherits {
    /// The command gets them.
    All,
    /// The command gets none.
    Nothing,
    /// The command gets them unless one of these options is given.
    Unless(&'static str),
    /// The command gets them only if one of these options is given; where that has a value, those that it names.
    Only(&'static str),
    /// Slurm's `--export`: `ALL` among its names keeps them, `NONE` or other names alone do not.
    SlurmExport,
}

/// One that has no options.
pub(super) const PLAIN: Wrapper = Wrapper {
    name: "",
    plain: "",
    valued: "",
    paired: "",
    sets: "",
    unsets: "",
    loads: "",
    enters: "",
    modules: "",
    takes_assignments: false,
    operands: 0,
    only_after_dashes: false,
    only_shells: false,
    inherits: Inherits::All,
    is_elsewhere: false,
    runs_python: false,
};
