//! What the rules about DeepSpeed configs share.

use std::sync::Arc;

use crate::knowledge::Version;
use crate::knowledge::trainers::PrecisionBlocks;
use crate::resolve::{self, deepspeed_blocks};
use crate::source::edit::Editor;
use crate::source::{Document, EntryRef, Route, SourceFile};

use super::{Key, Label, Subject};

/// A DeepSpeed config of the run.
pub(super) struct DeepSpeedConfig {
    file: Arc<SourceFile>,
    document: Arc<Document>,
}

/// The DeepSpeed configs of a run. Those that an accelerate config alone names are judged by themselves.
pub(super) fn configs(subject: &Subject<'_>) -> Vec<DeepSpeedConfig> {
    if subject.run.command.is_none() && subject.run.deepspeed.is_none() {
        return Vec::new();
    }
    let configs = resolve::deepspeed_configs(subject.run, subject.files).into_iter();
    configs
        .map(|(file, document)| DeepSpeedConfig { file, document })
        .collect()
}

impl DeepSpeedConfig {
    /// What it holds.
    pub(super) fn document(&self) -> &Document {
        &self.document
    }

    /// A block of the top level, with the name under which it stands.
    pub(super) fn block(&self, name: &str) -> Option<(&'static str, EntryRef<'_>)> {
        deepspeed_blocks::block(&self.document, name)
    }

    /// Edits of the file.
    pub(super) fn editor(&self) -> Editor {
        Editor::of(&self.file)
    }

    /// The key of an entry.
    pub(super) fn key_label(&self, entry: &EntryRef<'_>, text: impl Into<String>) -> Label {
        Label::at(&self.file, entry.key.span(), text)
    }

    /// The value of an entry.
    pub(super) fn value_label(&self, entry: &EntryRef<'_>, text: impl Into<String>) -> Label {
        Label::at(&self.file, entry.value.span(), text)
    }
}

/// The name of a key in a block, for fingerprints.
pub(super) fn key(block: &str, name: &str) -> Key {
    Key {
        route: Route::keys([block, name]),
        value: String::new(),
    }
}

/// The version of DeepSpeed that is declared or pinned, or else the newest known, and how it reads the blocks.
pub(super) fn version(subject: &Subject<'_>) -> Option<(Version, PrecisionBlocks)> {
    let declared = subject.target.packages.get("deepspeed");
    deepspeed_blocks::reading(declared.map(|declared| declared.value.clone()))
}
