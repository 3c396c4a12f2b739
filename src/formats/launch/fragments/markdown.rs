//! Markdown: fenced texts for a shell.

use super::super::Folder;
use super::collector::{Collector, Given};
use super::container::{Container, may_hold_launch};
use super::text::{Builder, MappedText, lines};

/// The words after a fence's ticks that say that it holds commands.
const LANGUAGES: [&str; 9] = [
    "bash",
    "sh",
    "shell",
    "zsh",
    "console",
    "shell-session",
    "shellsession",
    "terminal",
    "sh-session",
];

/// First words that only a shell understands, in a fence without a language.
const COMMANDS: [&str; 7] = [
    "python", "python3", "uv", "srun", "sbatch", "export", "docker",
];

/// A fence that is open.
struct Fence<'t> {
    /// Its ticks or tildes.
    mark: &'t str,
    /// How far it is indented.
    indent: usize,
    /// Its language, in lower case.
    language: String,
    lines: Vec<(usize, &'t str)>,
}

pub(super) fn collect(found: &mut Collector<'_>) {
    let file = found.file;
    let mut open: Option<Fence<'_>> = None;
    for (start, line) in lines(file.text()) {
        let content = line.trim_start_matches([' ', '\t']);
        let indent = line.len() - content.len();
        let mark = mark(content);
        match &mut open {
            Some(fence) => {
                let closes =
                    mark.starts_with(fence.mark) && content[mark.len()..].trim().is_empty();
                if !closes {
                    let dropped = indent.min(fence.indent);
                    fence.lines.push((start + dropped, &line[dropped..]));
                } else if let Some(fence) = open.take() {
                    finish(&fence, found);
                }
            }
            None => {
                // A list item may begin with a fence.
                let content = after_list_mark(content);
                let mark = self::mark(content);
                let indent = line.len() - content.len();
                if mark.is_empty() {
                    continue;
                }
                let information = content[mark.len()..].trim_start_matches([' ', '{', '.']);
                let end = information
                    .find(|c: char| c.is_whitespace() || c == '}' || c == ',')
                    .unwrap_or(information.len());
                open = Some(Fence {
                    mark,
                    indent,
                    language: information[..end].to_ascii_lowercase(),
                    lines: Vec::new(),
                });
            }
        }
    }
    if let Some(fence) = open {
        finish(&fence, found);
    }
}

/// A line without the `*`, `-`, `+` or `1.` of a list item.
fn after_list_mark(content: &str) -> &str {
    let digits = content.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = match digits.len() < content.len() {
        true => digits.strip_prefix(['.', ')']),
        false => content.strip_prefix(['*', '-', '+']),
    };
    rest.filter(|rest| rest.starts_with([' ', '\t']))
        .map_or(content, |rest| rest.trim_start_matches([' ', '\t']))
}

/// The ticks or tildes of a fence, at least three; else nothing.
fn mark(content: &str) -> &str {
    let length = |c| content.len() - content.trim_start_matches(c).len();
    let length = length('`').max(length('~'));
    if length < 3 { "" } else { &content[..length] }
}

fn finish(fence: &Fence<'_>, found: &mut Collector<'_>) {
    let first = fence
        .lines
        .iter()
        .map(|(_, line)| *line)
        .find(|line| !line.trim().is_empty());
    let first = first.unwrap_or_default();
    let is_shell = match fence.language.as_str() {
        "" | "text" | "txt" => {
            let word = first.split_whitespace().next().unwrap_or_default();
            first.starts_with("$ ")
                || may_hold_launch(Container::Markdown, word)
                || COMMANDS.contains(&word)
        }
        language => LANGUAGES.contains(&language),
    };
    if is_shell {
        let given = Given {
            layers: &[],
            folder: &Folder::Start(String::new()),
            loaded: &[],
        };
        let text = commands(found.file.text(), &fence.lines);
        found.shell(text, &given);
    }
}

/// The lines; where there are prompts, only what stands after them and their continuations, since the rest is output.
fn commands(file: &str, lines: &[(usize, &str)]) -> MappedText {
    let has_prompts = lines.iter().any(|(_, line)| line.starts_with("$ "));
    let mut builder = Builder::new(lines.first().map_or(0, |(start, _)| *start));
    let mut continues = false;
    for (start, line) in lines {
        let (start, line) = match line.strip_prefix("$ ") {
            Some(command) => (start + 2, command),
            None if !has_prompts => (*start, *line),
            None if continues => match line.strip_prefix("> ") {
                Some(command) => (start + 2, command),
                None => (*start, *line),
            },
            None => continue,
        };
        builder.verbatim(line, start);
        builder.line_feed(file, start + line.len());
        continues = line.ends_with('\\');
    }
    builder.finish()
}
