//! What a change makes of the Python object of a file.

use super::super::{Object, Route, Step};
use super::Change;

/// The object after the change; `None` where its route leads nowhere, or where a key comes that is there already.
pub fn applied(mut object: Object, change: &Change) -> Option<Object> {
    match change {
        Change::Set { route, value } => *value_at(&mut object, route)? = value.clone(),
        Change::Rename { route, key } => {
            let (pairs, at) = entry(&mut object, route)?;
            if pairs.iter().any(|(other, _)| is_key(other, key)) {
                return None;
            }
            pairs.get_mut(at)?.0 = Object::from(key.as_str());
        }
        Change::Remove { route } => {
            let (pairs, at) = entry(&mut object, route)?;
            pairs.remove(at);
        }
        Change::Add { route, value } => {
            let (key, parent) = split(route)?;
            let parent = value_at(&mut object, &parent)?;
            // `section:` without a value is a section without keys.
            if *parent == Object::None {
                *parent = Object::Dict(Vec::new());
            }
            let Object::Dict(pairs) = parent else {
                return None;
            };
            if pairs.iter().any(|(other, _)| is_key(other, key)) {
                return None;
            }
            pairs.push((Object::from(key), value.clone()));
        }
        Change::Word { .. } | Change::Comment { .. } => {}
        Change::Several(changes) => {
            for change in changes {
                object = applied(object, change)?;
            }
        }
    }
    Some(object)
}

/// The last key of a route, and the route of its mapping.
pub(super) fn split(route: &Route) -> Option<(&str, Route)> {
    let key = route.last_key()?;
    let mut parent = route.clone();
    parent.0.pop();
    Some((key, parent))
}

fn is_key(object: &Object, key: &str) -> bool {
    matches!(object, Object::Str(text) if text == key)
}

fn value_at<'o>(mut object: &'o mut Object, route: &Route) -> Option<&'o mut Object> {
    for step in &route.0 {
        object = match (step, object) {
            (Step::Key(key), Object::Dict(pairs)) => {
                let mut pairs = pairs.iter_mut();
                &mut pairs.find(|(other, _)| is_key(other, key))?.1
            }
            (Step::Index(index), Object::List(elements) | Object::Tuple(elements)) => {
                elements.get_mut(*index)?
            }
            _ => return None,
        };
    }
    Some(object)
}

/// The pairs of the mapping that holds the key, and where among them it is.
fn entry<'o>(
    object: &'o mut Object,
    route: &Route,
) -> Option<(&'o mut Vec<(Object, Object)>, usize)> {
    let (key, parent) = split(route)?;
    let Object::Dict(pairs) = value_at(object, &parent)? else {
        return None;
    };
    let at = pairs.iter().position(|(other, _)| is_key(other, key))?;
    Some((pairs, at))
}
