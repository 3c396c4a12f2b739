//! A finding's name that survives moving lines.

use crate::rules::Finding;

/// A hash of rule, path, route of keys and value, and of no line number: 16 hexadecimal digits. It is FNV-1a in 64
/// bits, written out here because baselines keep it: it must stay the same in every version and on every machine.
pub fn fingerprint(finding: &Finding) -> String {
    let route = finding.key.route.to_string();
    let parts = [
        finding.code,
        &finding.primary.path,
        &route,
        &finding.key.value,
    ];
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for part in parts {
        // The byte 0xff occurs in no UTF-8 text, so it keeps the parts apart.
        for byte in part.bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}
