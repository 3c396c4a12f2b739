//! Versions and ranges of packages: which release decides.

use std::str::FromStr;

use pep440_rs::{Version, VersionSpecifiers};

use crate::formats::pins::Pin;
use crate::knowledge::PackageFacts;

use super::parse::{TargetError, error};
use super::{Asked, Declared, FileLine, Target, TargetOrigin};

/// The release that decides, what was asked for, and what else is allowed.
pub(super) struct Accelerate {
    release: Version,
    asked: Option<Asked>,
    others: Vec<Version>,
}

impl Accelerate {
    /// `None` for a version older than every known release.
    fn exactly(version: &Version, releases: &[Version]) -> Option<Self> {
        let (oldest, newest) = (releases.first()?, releases.last()?);
        if version < oldest {
            return None;
        }
        let is_newer = version > newest;
        Some(Self {
            release: match is_newer {
                true => newest.clone(),
                false => full(version),
            },
            asked: is_newer.then(|| Asked::Newer(version.clone())),
            others: Vec::new(),
        })
    }

    /// `None` where no known release is allowed.
    fn within(range: &VersionSpecifiers, written: String, releases: &[Version]) -> Option<Self> {
        let allowed = releases.iter().filter(|release| range.contains(release));
        let mut others: Vec<_> = allowed.cloned().collect();
        Some(Self {
            release: others.pop()?,
            asked: Some(Asked::Range(written)),
            others,
        })
    }

    pub(super) fn put_into(self, target: &mut Target, origin: TargetOrigin) {
        target.accelerate = Declared {
            value: self.release,
            origin,
        };
        target.accelerate_asked = self.asked;
        target.accelerate_others = self.others;
    }
}

/// An exact version, or a range of which the newest known release decides.
pub(super) fn accelerate(value: &str, releases: &[Version]) -> Result<Accelerate, TargetError> {
    let value = without_equals(value);
    if is_range(value) {
        let found = Accelerate::within(&range("accelerate", value)?, value.to_owned(), releases);
        found.ok_or_else(|| none_allowed("accelerate", value, releases))
    } else {
        let asked = version("accelerate", value)?;
        Accelerate::exactly(&asked, releases).ok_or_else(|| {
            error(
                "accelerate",
                format!("accelerate {asked} is older than every known release"),
                known(releases),
            )
        })
    }
}

/// `accelerate==1.12.0`, as it stands in a requirements file.
fn without_equals(value: &str) -> &str {
    match value.strip_prefix('=') {
        Some(version) if !version.starts_with('=') => version,
        _ => value,
    }
}

fn is_range(value: &str) -> bool {
    value.starts_with(['<', '>', '=', '!', '~']) || value.contains(',')
}

fn range(key: &str, value: &str) -> Result<VersionSpecifiers, TargetError> {
    VersionSpecifiers::from_str(value).map_err(|_| {
        error(
            key,
            format!("`{value}` is not a version range"),
            format!("write for example {key}='>=1.3,<2'"),
        )
    })
}

fn none_allowed(key: &str, value: &str, releases: &[Version]) -> TargetError {
    error(
        key,
        format!("no known release of {key} is allowed by `{value}`"),
        format!("{}{}", nearest(value, releases), known(releases)),
    )
}

fn known(releases: &[Version]) -> String {
    match (releases.first(), releases.last()) {
        (Some(oldest), Some(newest)) => format!("known are {oldest} to {newest}"),
        _ => "none is known".to_owned(),
    }
}

/// The release of another package than accelerate that decides, and the range that was asked for.
pub(super) struct Release {
    package: &'static str,
    version: Version,
    asked: Option<String>,
}

impl Release {
    /// An exact version, which stands as it is, or a range of which the newest known release decides.
    pub(super) fn of(package: &'static PackageFacts, value: &str) -> Result<Self, TargetError> {
        let value = without_equals(value);
        if !is_range(value) {
            return Ok(Self {
                package: package.name,
                version: version(package.name, value)?,
                asked: None,
            });
        }
        let found = Self::within(package, &range(package.name, value)?, value.to_owned());
        found.ok_or_else(|| none_allowed(package.name, value, &package.releases))
    }

    /// `None` where no known release is allowed.
    fn within(
        package: &'static PackageFacts,
        range: &VersionSpecifiers,
        written: String,
    ) -> Option<Self> {
        Some(Self {
            package: package.name,
            version: package.newest_release_within(range)?.clone(),
            asked: Some(written),
        })
    }

    pub(super) fn put_into(self, target: &mut Target, origin: TargetOrigin) {
        let declared = Declared {
            value: self.version,
            origin,
        };
        target.packages.insert(self.package, declared);
        match self.asked {
            Some(asked) => target.packages_asked.insert(self.package, asked),
            None => target.packages_asked.remove(self.package),
        };
    }
}

/// Takes over what a project pins; whether that is known.
pub(super) fn pin(target: &mut Target, pin: &Pin, releases: &[Version]) -> bool {
    let written = || pin.specifiers.to_string().replace(", ", ",");
    let origin = TargetOrigin::Pin(FileLine::of(pin));
    if pin.package.name == "accelerate" {
        let found = match pin.exact() {
            Some(version) => Accelerate::exactly(version, releases),
            None => Accelerate::within(&pin.specifiers, written(), releases),
        };
        let is_known = found.is_some();
        if let Some(found) = found {
            found.put_into(target, origin);
        }
        return is_known;
    }
    let found = match pin.exact() {
        Some(version) => Some(Release {
            package: pin.package.name,
            version: version.clone(),
            asked: None,
        }),
        None => Release::within(pin.package, &pin.specifiers, written()),
    };
    let is_known = found.is_some();
    if let Some(found) = found {
        found.put_into(target, origin);
    }
    is_known
}

/// `1.12` is 1.12.0, and is shown so.
fn full(version: &Version) -> Version {
    let mut release = version.release().to_vec();
    while release.len() < 3 {
        release.push(0);
    }
    version.clone().with_release(release)
}

/// The known releases around the first version that a range names, for a range that allows none of them.
fn nearest(range: &str, releases: &[Version]) -> String {
    let named = range
        .trim_start_matches(['<', '>', '=', '!', '~', ' '])
        .split([',', '*'])
        .next()
        .and_then(|version| Version::from_str(version.trim().trim_end_matches('.')).ok());
    let Some(named) = named else {
        return String::new();
    };
    let below = releases.iter().rev().find(|release| **release <= named);
    let above = releases.iter().find(|release| **release > named);
    match (below, above) {
        (Some(below), Some(above)) => format!("the nearest are {below} and {above}; "),
        (Some(only), None) | (None, Some(only)) => format!("the nearest is {only}; "),
        (None, None) => String::new(),
    }
}

pub(super) fn version(key: &str, value: &str) -> Result<Version, TargetError> {
    Version::from_str(value).map_err(|_| {
        error(
            key,
            format!("`{value}` is not a version of {key}"),
            format!("write for example {key}=1.12.0"),
        )
    })
}
