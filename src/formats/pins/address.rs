//! Packages that are named by where they lie: `git+https://github.com/Azure/MS-AMP.git@v0.4#egg=msamp`.

use crate::knowledge::{PackageFacts, package_of_distribution, package_of_repository};

use super::requirement::split_name;

/// The package at an address, or at a path. Its version is in neither.
pub(super) fn package(address: &str) -> Option<&'static PackageFacts> {
    let (address, fragment) = address.split_once('#').unwrap_or((address, ""));
    let named = fragment
        .split('&')
        .find_map(|part| part.strip_prefix("egg="));
    if let Some(named) = named {
        return package_of_distribution(split_name(named).0);
    }
    let path = match address.split_once("://") {
        Some((_, rest)) => rest.split_once('/')?.1,
        None if address.contains('/') => address,
        None => return None,
    };
    // The branch, tag or commit.
    let path = path.split_once('@').map_or(path, |(path, _)| path);
    let path = path.trim_end_matches('/');
    let last = path.rsplit_once('/').map_or(path, |(_, last)| last);
    match last.strip_suffix(".whl") {
        Some(wheel) => package_of_distribution(wheel.split_once('-')?.0),
        None => package_of_repository(last.strip_suffix(".git").unwrap_or(last)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_paths() {
        for (address, name) in [
            (
                "git+https://github.com/NVIDIA/TransformerEngine.git@stable",
                Some("transformer_engine"),
            ),
            (
                "git+https://github.com/NVIDIA/TransformerEngine.git@release/v1",
                Some("transformer_engine"),
            ),
            ("git+https://github.com/Azure/MS-AMP.git", Some("msamp")),
            ("git+ssh://git@github.com/pytorch/ao", Some("torchao")),
            (
                "git+https://github.com/fork/x.git@abc#egg=trl[deepspeed]&subdirectory=a",
                Some("trl"),
            ),
            (
                "https://example.org/torch-2.9.1-cp311-none.whl",
                Some("torch"),
            ),
            ("./third_party/trl/", Some("trl")),
            ("./trl-1.0-py3-none-any.whl", Some("trl")),
            ("trl 1.0", None),
            ("https://example.org", None),
            ("https://", None),
            ("./other", None),
            ("/", None),
            ("#egg=", None),
            (".whl/", None),
        ] {
            assert_eq!(package(address).map(|found| found.name), name, "{address}");
        }
    }
}
