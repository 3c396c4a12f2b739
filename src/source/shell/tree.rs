//! The tree.

use crate::source::Span;

/// A shell text.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// Its commands.
    pub commands: List,
    /// The bodies of its here-documents; [`RedirectionKind::HereDoc`] has the position.
    pub heredocs: Vec<HereDoc>,
}

/// Commands one after the other.
#[derive(Clone, Debug, Default)]
pub struct List {
    /// The statements.
    pub statements: Vec<Statement>,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The first pipeline.
    pub first: Pipeline,
    /// The others.
    pub rest: Vec<(Connector, Pipeline)>,
    /// Whether `&` ends it.
    pub is_background: bool,
}

/// What joins two pipelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connector {
    /// `&&`.
    And,
    /// `||`.
    Or,
}

/// Commands joined by `|`, one or more.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// The commands.
    pub commands: Vec<Command>,
    /// Whether `!` stands before it.
    pub is_negated: bool,
}

/// A command.
#[derive(Clone, Debug)]
pub struct Command {
    /// Which.
    pub kind: CommandKind,
    /// Its redirections; those of a simple command as well.
    pub redirections: Vec<Redirection>,
    /// Its bytes, redirections left out.
    pub span: Span,
}

/// The kinds of commands.
#[derive(Clone, Debug)]
pub enum CommandKind {
    /// Assignments and words.
    Simple(Simple),
    /// `( … )`.
    Subshell(List),
    /// `{ …; }`.
    Group(List),
    /// `if … fi`.
    If {
        /// Each condition with what it guards.
        branches: Vec<(List, List)>,
        /// What `else` guards.
        otherwise: Option<List>,
    },
    /// `while` and `until`.
    While {
        /// The condition.
        condition: List,
        /// The body.
        body: List,
    },
    /// `for` and `select`.
    For {
        /// The variable.
        name: String,
        /// The words after `in`; without it, the positional parameters.
        words: Option<Vec<Word>>,
        /// The body.
        body: List,
    },
    /// `for ((…; …; …))`.
    ForArithmetic {
        /// What stands between the parentheses.
        expression: Span,
        /// The body.
        body: List,
    },
    /// `case … esac`.
    Case {
        /// The word that decides.
        word: Word,
        /// The branches.
        items: Vec<CaseItem>,
    },
    /// `name() { … }`, `function name { … }`.
    Function {
        /// Its name.
        name: String,
        /// What it runs.
        body: Box<Command>,
    },
    /// `[[ … ]]`: its words.
    Test(Vec<Word>),
    /// `(( … ))`: what stands between the parentheses.
    Arithmetic(Span),
}

/// A branch of `case`.
#[derive(Clone, Debug)]
pub struct CaseItem {
    /// Its patterns.
    pub patterns: Vec<Word>,
    /// What runs.
    pub body: List,
}

/// A simple command.
#[derive(Clone, Debug, Default)]
pub struct Simple {
    /// The assignments before its name.
    pub assignments: Vec<Assignment>,
    /// Its words, the name first.
    pub words: Vec<Word>,
    /// The assignments among the words of `export`, `declare` and the like.
    pub declarations: Vec<Assignment>,
}

/// `NAME=value`.
#[derive(Clone, Debug)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// What stands in `NAME[…]`.
    pub subscript: Option<Span>,
    /// Whether it is `+=`.
    pub is_append: bool,
    /// What is assigned.
    pub value: Assigned,
    /// All of it.
    pub span: Span,
}

/// What is assigned.
#[derive(Clone, Debug)]
pub enum Assigned {
    /// A word; without parts where nothing stands.
    Word(Word),
    /// `( … )`: the elements.
    Array(Vec<Word>),
}

/// A word before expansion.
#[derive(Clone, Debug)]
pub struct Word {
    /// Its parts.
    pub parts: Vec<Part>,
    /// Its bytes, quotes included.
    pub span: Span,
}

impl Word {
    /// A word where none stands.
    pub(super) fn missing(at: usize) -> Self {
        Self {
            parts: Vec::new(),
            span: Span::at(at),
        }
    }

    /// Its text, if it has nothing but unquoted text.
    pub fn plain(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [
                Part {
                    kind: PartKind::Text(text),
                    is_quoted: false,
                    ..
                },
            ] => Some(text),
            _ => None,
        }
    }
}

/// A part of a word.
#[derive(Clone, Debug)]
pub struct Part {
    /// Which.
    pub kind: PartKind,
    /// Its bytes. Those of text that stands as it is are exactly its own: without quotes, without the backslash.
    pub span: Span,
    /// Whether it stands in quotes.
    pub is_quoted: bool,
}

/// The kinds of parts.
#[derive(Clone, Debug)]
pub enum PartKind {
    /// Text, quotes and escapes taken away. A word in empty quotes has one empty text.
    Text(String),
    /// `$NAME`, `${…}`.
    Parameter(Box<Parameter>),
    /// `$(…)`, `` `…` ``.
    Command(List),
    /// `<(…)`, `>(…)`.
    Process(List),
    /// `$((…))`: what stands between the parentheses.
    Arithmetic(Span),
}

/// A parameter that is expanded.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// A variable's name, a number, or one of `@ * # ? - $ !`.
    pub name: String,
    /// What stands in `[…]`.
    pub subscript: Option<Subscript>,
    /// Whether it is `${#NAME}`.
    pub is_length: bool,
    /// Whether it is `${!NAME}`.
    pub is_indirect: bool,
    /// What is done with the value.
    pub operator: Option<Operator>,
}

/// The elements of an array that are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subscript {
    /// `[@]`.
    At,
    /// `[*]`.
    Star,
    /// An index or a key.
    Index(String),
}

/// `${NAME:-word}` and the like.
#[derive(Clone, Debug)]
pub struct Operator {
    /// `-`, `:-`, `=`, `:=`, `?`, `:?`, `+`, `:+`, `%`, `%%`, `#`, `##`, `/`, `//`, `/#`, `/%`, `^`, `^^`, `,`, `,,`,
    /// `:`, `@`.
    pub symbol: &'static str,
    /// What follows it.
    pub word: Word,
}

/// A redirection.
#[derive(Clone, Debug)]
pub struct Redirection {
    /// Which.
    pub kind: RedirectionKind,
    /// The number before it.
    pub descriptor: Option<u32>,
    /// The file, the text of `<<<`, the end mark of a here-document.
    pub target: Word,
}

/// The kinds of redirections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectionKind {
    /// `<`.
    Input,
    /// `>`, `>|`.
    Output,
    /// `>>`.
    Append,
    /// `&>`.
    BothOutput,
    /// `&>>`.
    BothAppend,
    /// `<&`.
    CopyInput,
    /// `>&`.
    CopyOutput,
    /// `<>`.
    ReadWrite,
    /// `<<<`.
    HereString,
    /// `<<`, `<<-`: the position of its body.
    HereDoc(usize),
}

/// The body of a here-document.
#[derive(Clone, Debug, Default)]
pub struct HereDoc {
    /// The pieces of the text that make it up: one, or one a line where `<<-` takes tabs away.
    pub pieces: Vec<Span>,
    /// Whether the end mark is quoted, so that nothing in the body is expanded.
    pub is_quoted: bool,
}
