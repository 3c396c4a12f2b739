//! A finding's name that survives moving lines.

use crate::discover::RepositoryPaths;
use crate::rules::Finding;

/// A hash of rule, path, route of keys and value, and of no line number: 16 hexadecimal digits. It is FNV-1a in 64
/// bits, written out here because baselines keep it: it must stay the same in every version and on every machine.
///
/// The path is that from the root of the repository, so the program may be started anywhere in it.
pub fn fingerprint(finding: &Finding, paths: &RepositoryPaths) -> String {
    let route = finding.key.route.to_string();
    let path = paths.of(&finding.primary.path);
    let occurrence = finding.occurrence.to_string();
    let mut parts = vec![finding.code, &path, &route, &finding.key.value];
    // The first of equal findings is named as if it were alone.
    if finding.occurrence > 0 {
        parts.push(&occurrence);
    }
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for part in parts {
        // The byte 0xff occurs in no UTF-8 text, so it keeps the parts apart.
        for byte in part.bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}
