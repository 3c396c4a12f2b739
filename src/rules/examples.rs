//! Examples of rules: small files that the tests run and the docs show.

/// A file that a rule finds fault with, or passes.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// What it shows, in a few words.
    pub title: &'static str,
    /// The file's name; its ending says how accelerate reads it.
    pub file: &'static str,
    /// The file's text.
    pub text: &'static str,
    /// What is declared with `--target`, beside the version: `installed=msamp`.
    pub target: &'static [&'static str],
    /// The files beside it, each with its text, where several make one run. Then the whole folder is checked.
    pub beside: &'static [(&'static str, &'static str)],
    /// The `fp8lint.toml` beside it, if there is one.
    pub settings: Option<&'static str>,
    /// Whether the rule finds fault with it.
    pub fails: bool,
}

impl Example {
    /// A file that the rule finds fault with.
    pub(crate) const fn fails(title: &'static str, text: &'static str) -> Self {
        Self {
            title,
            file: "accelerate.yaml",
            text,
            target: &[],
            beside: &[],
            settings: None,
            fails: true,
        }
    }

    /// A file that no rule finds fault with.
    pub(crate) const fn passes(title: &'static str, text: &'static str) -> Self {
        Self {
            title,
            file: "accelerate.yaml",
            text,
            target: &[],
            beside: &[],
            settings: None,
            fails: false,
        }
    }

    /// The same under a declared target.
    pub(crate) const fn under(mut self, target: &'static [&'static str]) -> Self {
        self.target = target;
        self
    }

    /// The same beside these settings.
    pub(crate) const fn declaring(mut self, settings: &'static str) -> Self {
        self.settings = Some(settings);
        self
    }

    /// The same beside these files.
    pub(crate) const fn with(mut self, files: &'static [(&'static str, &'static str)]) -> Self {
        self.beside = files;
        self
    }

    /// The same under another file name.
    pub(crate) const fn named(mut self, file: &'static str) -> Self {
        self.file = file;
        self
    }
}
