//! The only module that knows granit-parser: text in, our own events out.
//!
//! granit reads YAML 1.2 with PyYAML's leniencies; what it still reads differently is settled here and in
//! [`strict`](super::strict).

use granit_parser::{ErrorKind, Parser, ScalarStyle, StrInput, StructureStyle};

use super::super::{Comment, ReadError, Span, Style};

/// Levels that granit may open; the composer's own limit is lower, so that it speaks first.
const NESTING_LIMIT: usize = 512;

/// One step of a document.
#[derive(Debug)]
pub(super) enum Step<'text> {
    /// A document begins; whether `---` says so.
    DocumentStart { explicit: bool },
    /// A document ends.
    DocumentEnd,
    /// `*name`
    Alias,
    /// A scalar with its text, escapes resolved.
    Scalar {
        value: std::borrow::Cow<'text, str>,
        style: Style,
    },
    /// A sequence begins.
    SequenceStart(Style),
    /// A mapping begins.
    MappingStart(Style),
    /// The innermost sequence or mapping ends.
    CollectionEnd,
}

/// A step with what is written before it and its bytes.
#[derive(Debug)]
pub(super) struct Event<'text> {
    pub(super) step: Step<'text>,
    /// The node's token, properties left out. Empty for block collections and for values that are not written.
    pub(super) span: Span,
    /// The resolved tag (`tag:yaml.org,2002:int`, `!local`, `!`).
    pub(super) tag: Option<String>,
    /// `!!int` as written.
    pub(super) tag_span: Option<Span>,
    /// `&name` as written.
    pub(super) anchor: Option<Span>,
}

/// Why granit stopped.
#[derive(Debug)]
pub(super) enum Stop {
    /// A `#` that touches the token before it, which PyYAML takes as a comment. Its offset.
    TouchingComment(usize),
    /// PyYAML would stop as well.
    Refused(ReadError),
}

/// The events of a text, in order, comments set aside.
pub(super) struct Events<'text> {
    parser: Parser<'text, StrInput<'text>>,
    text: &'text str,
    /// The comments passed so far.
    pub(super) comments: Vec<Comment>,
}

impl<'text> Events<'text> {
    pub(super) fn new(text: &'text str) -> Self {
        let options = granit_parser::options! {
            bom_inside_document_as_content: true,
            block_scalar_eof_without_line_feed: true,
            emit_unresolved_aliases: true,
            emit_anchor_events: true,
            max_buffered_comment_events: usize::MAX,
            flow_nesting_limit: NESTING_LIMIT,
            block_nesting_limit: NESTING_LIMIT,
            max_directive_bytes: usize::MAX,
            max_reserved_directive_params: usize::MAX,
        };
        Self {
            parser: Parser::new_from_str_with_options(text, options),
            text,
            comments: Vec::new(),
        }
    }

    /// The next event; `None` at the end of the text.
    pub(super) fn next(&mut self) -> Result<Option<Event<'text>>, Stop> {
        while let Some(next) = self.parser.next_event() {
            let (event, place) = next.map_err(|error| self.stop(&error))?;
            let span = self.span(&place);
            let tag = event
                .tag()
                .map(|tag| format!("{}{}", tag.handle(), tag.suffix()));
            let tag_span = place.tag_span().map(|tag| self.span(&tag));
            let anchored = event.is_node() && event.anchor_id().is_some();
            let step = match event {
                granit_parser::Event::Comment(..) => {
                    self.comments.push(Comment { span });
                    continue;
                }
                granit_parser::Event::DocumentStart(explicit, _) => {
                    Step::DocumentStart { explicit }
                }
                granit_parser::Event::DocumentEnd => Step::DocumentEnd,
                granit_parser::Event::Alias(_) | granit_parser::Event::UnresolvedAlias(_) => {
                    Step::Alias
                }
                // granit writes a value that is not there as `~` with no bytes.
                granit_parser::Event::Scalar(_, ScalarStyle::Plain, ..) if span.is_empty() => {
                    Step::Scalar {
                        value: "".into(),
                        style: Style::Plain,
                    }
                }
                granit_parser::Event::Scalar(value, style, ..) => Step::Scalar {
                    value,
                    style: match style {
                        ScalarStyle::Plain => Style::Plain,
                        ScalarStyle::SingleQuoted => Style::SingleQuoted,
                        ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
                        ScalarStyle::Literal | ScalarStyle::Folded => Style::BlockScalar,
                    },
                },
                granit_parser::Event::SequenceStart(style, ..) => {
                    Step::SequenceStart(collection_style(style))
                }
                granit_parser::Event::MappingStart(style, ..) => {
                    Step::MappingStart(collection_style(style))
                }
                granit_parser::Event::SequenceEnd | granit_parser::Event::MappingEnd => {
                    Step::CollectionEnd
                }
                _ => continue,
            };
            let anchor = if anchored { self.anchor()? } else { None };
            return Ok(Some(Event {
                step,
                span,
                tag,
                tag_span,
                anchor,
            }));
        }
        Ok(None)
    }

    /// The anchor of the node just passed: granit reports it directly after its node.
    fn anchor(&mut self) -> Result<Option<Span>, Stop> {
        match self.parser.next_event() {
            Some(Ok((granit_parser::Event::Anchor(..), place))) => Ok(Some(self.span(&place))),
            Some(Err(error)) => Err(self.stop(&error)),
            _ => Ok(None),
        }
    }

    fn span(&self, place: &granit_parser::Span) -> Span {
        place
            .byte_range()
            .map_or(Span::at(self.text.len()), |range| {
                Span::new(range.start, range.end)
            })
    }

    fn stop(&self, error: &granit_parser::ScanError) -> Stop {
        let offset = error.marker().byte_offset().unwrap_or(self.text.len());
        let (exception, message, offset) = match error.kind() {
            ErrorKind::CommentNotSeparated => return Stop::TouchingComment(offset),
            kind if is_tab(kind) => {
                let rest = self.text.get(offset..).unwrap_or_default();
                let tab = offset + rest.find('\t').unwrap_or(0);
                let message = "found character '\\t' that cannot start any token".to_owned();
                ("ScannerError", message, tab)
            }
            kind => (exception(kind), kind.to_string(), offset),
        };
        Stop::Refused(ReadError::new(exception, message, Span::at(offset)))
    }
}

fn collection_style(style: StructureStyle) -> Style {
    match style {
        StructureStyle::Block => Style::Block,
        StructureStyle::Flow => Style::Flow,
    }
}

/// Whether it is about a tab: PyYAML has one fault for these.
fn is_tab(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::TabNotAllowed
            | ErrorKind::TabInBlockIndentation
            | ErrorKind::TabAtBlockScalarStart
            | ErrorKind::TabInIndentation
            | ErrorKind::TabInPlainScalar
    )
}

/// The class of PyYAML's exception for the same fault.
fn exception(kind: &ErrorKind) -> &'static str {
    match kind {
        ErrorKind::RecursionLimitExceeded => "RecursionError",
        ErrorKind::UnexpectedEofFlowSequence
        | ErrorKind::UnexpectedEofFlowMapping
        | ErrorKind::UnexpectedEofImplicitFlowMapping
        | ErrorKind::UnexpectedEofBlockSequence
        | ErrorKind::UnexpectedEofBlockMapping
        | ErrorKind::UnexpectedEof
        | ErrorKind::UnclosedFlowCollection { .. }
        | ErrorKind::MisplacedFlowCollectionEnd
        | ErrorKind::MismatchedFlowCollectionEnd { .. }
        | ErrorKind::DuplicateVersionDirective
        | ErrorKind::UnsupportedYamlMajorVersion
        | ErrorKind::DuplicateTagDirective
        | ErrorKind::ExpectedDocumentStart
        | ErrorKind::InvalidDocumentEnd
        | ErrorKind::ExpectedNodeContent
        | ErrorKind::ExpectedBlockMappingKey
        | ErrorKind::ExpectedFlowMappingSeparator
        | ErrorKind::ExpectedFlowSequenceSeparator
        | ErrorKind::ExpectedBlockSequenceEntry
        | ErrorKind::UndeclaredTagHandle
        | ErrorKind::BlockEntryInFlowCollection
        | ErrorKind::InvalidIndentation
        | ErrorKind::InvalidBlockScalarIndent
        | ErrorKind::CommentInterceptedScalar
        | ErrorKind::InvalidTrailingSingleQuotedScalar
        | ErrorKind::InvalidTrailingDoubleQuotedScalar
        | ErrorKind::InvalidColonPlacement
        | ErrorKind::FlowMappingValueAdjacentCollection => "ParserError",
        // The directive begins a second document.
        ErrorKind::MissingDocumentEndBeforeDirective => "ComposerError",
        ErrorKind::InvalidUnicodeEscape => "ValueError",
        _ => "ScannerError",
    }
}
