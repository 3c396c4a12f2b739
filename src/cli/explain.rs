//! `fp8lint explain RULE` and `fp8lint rules`.

use super::catalogue;
use super::failure::Failure;

/// What a rule is about, why, and what to do.
pub(super) fn explain(rule: &str) -> Result<String, Failure> {
    let described = catalogue::find(rule)?;
    Ok(format!(
        "{} {}\n{}, {}\n\n{}\n\n{}\n",
        described.code,
        described.name,
        described.severity,
        described.confidence.as_str(),
        described.summary,
        described.explanation.trim(),
    ))
}

/// One line for each rule.
pub(super) fn list() -> String {
    let all = catalogue::all();
    let width = all
        .iter()
        .map(|described| described.name.len())
        .max()
        .unwrap_or(0);
    all.iter()
        .map(|described| {
            format!(
                "{}  {:width$}  {:7}  {}\n",
                described.code,
                described.name,
                described.severity.as_str(),
                described.summary,
            )
        })
        .collect()
}
