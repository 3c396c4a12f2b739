//! Paths as files write them.

/// A relative path without `.` and empty parts, and with `..` at its front only.
pub(super) fn cleaned<'p>(parts: impl IntoIterator<Item = &'p str>) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for part in parts {
        match part {
            "" | "." => {}
            ".." if kept.last().is_some_and(|last| *last != "..") => {
                kept.pop();
            }
            part => kept.push(part),
        }
    }
    kept.join("/")
}

#[cfg(test)]
mod tests {
    use super::cleaned;

    #[test]
    fn parts_that_lead_nowhere_are_left_out() {
        for (path, expected) in [
            ("", ""),
            ("./a//b/", "a/b"),
            ("a/../b", "b"),
            ("../../a/..", "../.."),
        ] {
            assert_eq!(cleaned(path.split('/')), expected, "{path}");
        }
    }
}
