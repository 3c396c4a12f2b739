//! The tree that both readers give: Python's view of a file, with the byte span of every key and value.

use super::{Object, Route, Span, Step};

/// A node's number in its [`Document`]. Aliases are the same number as their anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId(pub(crate) u32);

/// How a node is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// An unquoted scalar, or no text at all.
    Plain,
    /// `'…'`
    SingleQuoted,
    /// `"…"`
    DoubleQuoted,
    /// `|` or `>`
    BlockScalar,
    /// A block mapping or sequence.
    Block,
    /// `{…}` or `[…]`
    Flow,
}

/// What a node holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// A scalar, as the Python object that it becomes.
    Scalar(Object),
    /// A list. `!!omap` and `!!pairs` are lists of tuples.
    List(Vec<NodeId>),
    /// A tuple: a key and its value in `!!omap` or `!!pairs`.
    Tuple(Vec<NodeId>),
    /// A dict: what Python sees, so each key once, merged keys included, in Python's insertion order.
    Dict(Vec<Entry>),
    /// A set, from `!!set`.
    Set(Vec<NodeId>),
}

/// One key and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The key's node. Of a key written twice the last one, unless that is another type (`1`, then `true`): Python
    /// keeps the first key object.
    pub key: NodeId,
    /// The value's node.
    pub value: NodeId,
    /// Whether it came in through a merge key (`<<`).
    pub merged: bool,
}

/// One node of a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The bytes of the node as written: quotes and brackets included; anchor, tag and trailing comment not. A block
    /// collection reaches from its first key or dash to the end of its last value; a block scalar from its `|` or `>`
    /// to the end of its last line that is not blank; no text at all is an empty span (after the `:` of its key).
    pub span: Span,
    /// How it is written.
    pub style: Style,
    /// What it holds.
    pub data: Data,
}

/// A `# comment`, from the `#` to the end of its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Its bytes, `#` included.
    pub span: Span,
}

/// A key that is written twice in one mapping. Python keeps the last value, silently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateKey {
    /// The key as Python's `str()` shows it.
    pub key: String,
    /// The key that loses. A key written three times gives two of these.
    pub first: Span,
    /// The key whose value Python keeps.
    pub last: Span,
}

/// One document: a root node and all that hangs below it.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    pub(crate) nodes: Vec<Node>,
    pub(crate) root: NodeId,
    /// Comments in the order of the text.
    pub comments: Vec<Comment>,
    /// Keys written twice, in the order of the text.
    pub duplicate_keys: Vec<DuplicateKey>,
}

/// How many objects [`NodeRef::object`] builds at most, 128 bytes of text counting as one more. An alias bomb holds
/// billions.
const OBJECT_LIMIT: usize = 100_000;

impl Document {
    /// The root.
    pub fn root(&self) -> NodeRef<'_> {
        NodeRef {
            document: self,
            id: self.root,
        }
    }

    /// The value at a route, and the key that names it if the last step is a key.
    pub fn at(&self, route: &Route) -> Option<(Option<NodeRef<'_>>, NodeRef<'_>)> {
        let mut found = (None, self.root());
        for step in &route.0 {
            found = match step {
                Step::Key(key) => {
                    let entry = found.1.get(key)?;
                    (Some(entry.key), entry.value)
                }
                Step::Index(index) => (None, found.1.elements().nth(*index)?),
            };
        }
        Some(found)
    }
}

/// A node together with the document that holds it.
#[derive(Clone, Copy, Debug)]
pub struct NodeRef<'document> {
    document: &'document Document,
    id: NodeId,
}

/// A key and its value, together with the document that holds them.
#[derive(Clone, Copy, Debug)]
pub struct EntryRef<'document> {
    /// The key.
    pub key: NodeRef<'document>,
    /// The value.
    pub value: NodeRef<'document>,
    /// Whether it came in through a merge key (`<<`).
    pub merged: bool,
}

impl<'document> NodeRef<'document> {
    fn node(self) -> &'document Node {
        &self.document.nodes[self.id.0 as usize]
    }

    /// The node's number.
    pub fn id(self) -> NodeId {
        self.id
    }

    /// The node's bytes. See [`Node::span`].
    pub fn span(self) -> Span {
        self.node().span
    }

    /// How the node is written.
    pub fn style(self) -> Style {
        self.node().style
    }

    /// What the node holds.
    pub fn data(self) -> &'document Data {
        &self.node().data
    }

    /// The scalar, if it is one.
    pub fn scalar(self) -> Option<&'document Object> {
        match self.data() {
            Data::Scalar(object) => Some(object),
            _ => None,
        }
    }

    /// The text, if it is a `str`.
    pub fn text(self) -> Option<&'document str> {
        match self.data() {
            Data::Scalar(Object::Str(text)) => Some(text),
            _ => None,
        }
    }

    /// Whether it is a dict.
    pub fn is_dict(self) -> bool {
        matches!(self.data(), Data::Dict(_))
    }

    /// Whether it is `None` in Python.
    pub fn is_none(self) -> bool {
        matches!(self.data(), Data::Scalar(Object::None))
    }

    /// The keys and values of a dict in Python's order; nothing for anything else.
    pub fn entries(self) -> impl Iterator<Item = EntryRef<'document>> {
        let entries = match self.data() {
            Data::Dict(entries) => entries.as_slice(),
            _ => &[],
        };
        entries.iter().map(move |entry| EntryRef {
            key: NodeRef {
                document: self.document,
                id: entry.key,
            },
            value: NodeRef {
                document: self.document,
                id: entry.value,
            },
            merged: entry.merged,
        })
    }

    /// The elements of a list, tuple or set; nothing for anything else.
    pub fn elements(self) -> impl Iterator<Item = NodeRef<'document>> {
        let elements = match self.data() {
            Data::List(elements) | Data::Tuple(elements) | Data::Set(elements) => {
                elements.as_slice()
            }
            _ => &[],
        };
        elements.iter().map(move |id| NodeRef {
            document: self.document,
            id: *id,
        })
    }

    /// The entry of a dict under this `str` key.
    pub fn get(self, key: &str) -> Option<EntryRef<'document>> {
        self.entries().find(|entry| entry.key.text() == Some(key))
    }

    /// The Python object that this node is, aliases followed. `None` where that has more than 100,000 parts (128
    /// bytes of text count as one) or holds itself: an alias bomb or a recursive anchor.
    pub fn object(self) -> Option<Object> {
        let mut left = OBJECT_LIMIT;
        // No recursion: a thread's stack may be too small for the deepest tree.
        let mut open: Vec<Unfinished<'document>> = Vec::new();
        let mut next = self;
        loop {
            let text = match next.data() {
                Data::Scalar(Object::Str(text)) => text.len(),
                Data::Scalar(Object::Bytes(bytes)) => bytes.len(),
                _ => 0,
            };
            left = left.checked_sub(1 + text / 128)?;
            let mut finished = match next.data() {
                Data::Scalar(object) => Some(object.clone()),
                // Deeper than Python reads: only a recursive anchor comes here.
                _ if open.len() > 1_000 => return None,
                _ => {
                    open.push(Unfinished::new(next));
                    None
                }
            };
            loop {
                let Some(inner) = open.last_mut() else {
                    return finished;
                };
                inner.objects.extend(finished.take());
                if let Some(part) = inner.parts.pop() {
                    next = part;
                    break;
                }
                finished = open.pop().map(Unfinished::finish);
            }
        }
    }
}

/// A collection whose object is being built.
struct Unfinished<'document> {
    data: &'document Data,
    /// Elements, or keys and values in turns, that have no object yet; the next one last.
    parts: Vec<NodeRef<'document>>,
    objects: Vec<Object>,
}

impl<'document> Unfinished<'document> {
    fn new(node: NodeRef<'document>) -> Self {
        let entries = node.entries().flat_map(|entry| [entry.key, entry.value]);
        let mut parts: Vec<_> = node.elements().chain(entries).collect();
        parts.reverse();
        Self {
            data: node.data(),
            parts,
            objects: Vec::new(),
        }
    }

    fn finish(self) -> Object {
        match self.data {
            Data::Tuple(_) => Object::Tuple(self.objects),
            Data::Set(_) => Object::Set(self.objects),
            Data::Dict(_) => {
                let mut pairs = Vec::with_capacity(self.objects.len() / 2);
                let mut objects = self.objects.into_iter();
                while let (Some(key), Some(value)) = (objects.next(), objects.next()) {
                    pairs.push((key, value));
                }
                Object::Dict(pairs)
            }
            Data::List(_) | Data::Scalar(_) => Object::List(self.objects),
        }
    }
}
