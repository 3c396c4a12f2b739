//! Shell scripts: the whole file is one text.

use super::super::Folder;
use super::collector::{Collector, Given};
use super::text::with_line_feeds;

pub(super) fn collect(found: &mut Collector<'_>) {
    let text = with_line_feeds(found.file.text(), 0);
    let given = Given {
        layers: &[],
        folder: &Folder::Start(String::new()),
        loaded: &[],
    };
    found.shell(text, &given);
}
