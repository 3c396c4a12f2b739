//! A DeepSpeed config as a tree of mappings.

use crate::source::Object;

pub(super) fn dict<const N: usize>(pairs: [(&str, Object); N]) -> Object {
    Object::Dict(
        pairs
            .into_iter()
            .map(|(key, value)| (Object::from(key), value))
            .collect(),
    )
}

pub(super) fn child<'object>(object: &'object Object, name: &str) -> Option<&'object Object> {
    let Object::Dict(pairs) = object else {
        return None;
    };
    pairs
        .iter()
        .find(|(key, _)| matches!(key, Object::Str(text) if text == name))
        .map(|(_, value)| value)
}

pub(super) fn set(object: &mut Object, name: &str, value: Object) {
    let Object::Dict(pairs) = object else { return };
    let key = Object::from(name);
    match pairs.iter_mut().find(|(known, _)| *known == key) {
        Some((_, old)) => *old = value,
        None => pairs.push((key, value)),
    }
}

pub(super) fn is_auto(value: &Object) -> bool {
    matches!(value, Object::Str(text) if text == "auto")
}

pub(super) fn collect_auto(object: &Object, prefix: &str, routes: &mut Vec<String>) {
    let Object::Dict(pairs) = object else { return };
    for (key, value) in pairs {
        let route = format!("{prefix}{}", key.python_str());
        if is_auto(value) {
            routes.push(route);
        } else {
            collect_auto(value, &format!("{route}."), routes);
        }
    }
}
