//! `junit`: JUnit's XML as Jenkins' schema has it, for pages of test results. Each file is a suite; each error or warning
//! is a failed test, each note a passed one with output, and a file without findings has one passed test. Paths begin at
//! the root of the repository, so that a test keeps its name wherever the program is started.

use std::collections::BTreeMap;
use std::io::{self, Write};

use crate::rules::{Finding, Severity};

use super::escape::xml;
use crate::discover::RepositoryPaths;

use super::{Checked, Report, one_line};

/// The findings as JUnit's XML.
pub(super) struct Junit;

impl Report for Junit {
    fn write(&self, checked: &Checked, out: &mut dyn Write) -> io::Result<()> {
        let files = checked.files.iter().map(|file| &file.path);
        let mut suites: BTreeMap<String, Vec<&Finding>> = files
            .map(|path| (checked.paths.of(path), Vec::new()))
            .collect();
        for finding in &checked.findings {
            let path = checked.paths.of(&finding.primary.path);
            suites.entry(path).or_default().push(finding);
        }
        let tests: usize = suites.values().map(|findings| findings.len().max(1)).sum();
        let failures = failures(&checked.findings.iter().collect::<Vec<_>>());
        writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
        writeln!(
            out,
            r#"<testsuites name="fp8lint" tests="{tests}" failures="{failures}" errors="0">"#
        )?;
        for (path, findings) in &suites {
            suite(path, findings, &checked.paths, out)?;
        }
        writeln!(out, "</testsuites>")
    }
}

fn fails(finding: &Finding) -> bool {
    finding.severity > Severity::Note
}

fn failures(findings: &[&Finding]) -> usize {
    findings.iter().filter(|finding| fails(finding)).count()
}

fn suite(
    path: &str,
    findings: &[&Finding],
    paths: &RepositoryPaths,
    out: &mut dyn Write,
) -> io::Result<()> {
    let path = xml(&one_line(path));
    let tests = findings.len().max(1);
    let failures = failures(findings);
    writeln!(
        out,
        r#"  <testsuite name="{path}" file="{path}" tests="{tests}" failures="{failures}" errors="0" skipped="0">"#
    )?;
    if findings.is_empty() {
        writeln!(
            out,
            r#"    <testcase name="no findings" classname="{path}"/>"#
        )?;
    }
    let mut names = BTreeMap::new();
    for finding in findings {
        let name = name(finding, &mut names);
        writeln!(
            out,
            r#"    <testcase name="{}" classname="{path}">"#,
            xml(&one_line(&name))
        )?;
        test(finding, paths, out)?;
        writeln!(out, "    </testcase>")?;
    }
    writeln!(out, "  </testsuite>")
}

/// The test's name: no line numbers, so that it stays the same test when lines move, and no two alike in a suite.
fn name(finding: &Finding, names: &mut BTreeMap<String, usize>) -> String {
    let route = finding.key.route.to_string();
    let mut name = format!("{} {}", finding.code, finding.name);
    if !route.is_empty() {
        name.push(' ');
        name.push_str(&route);
    }
    let count = names.entry(name.clone()).or_insert(0);
    *count += 1;
    match *count {
        1 => name,
        count => format!("{name} ({count})"),
    }
}

fn test(finding: &Finding, paths: &RepositoryPaths, out: &mut dyn Write) -> io::Result<()> {
    let mut text = format!("{}: {}", place(finding, paths), finding.message);
    for note in &finding.notes {
        text.push_str("\nnote: ");
        text.push_str(note);
    }
    if let Some(help) = &finding.help {
        text.push_str("\nhelp: ");
        text.push_str(help);
    }
    let text = xml(&text);
    match fails(finding) {
        true => writeln!(
            out,
            r#"      <failure type="{}" message="{}">{text}</failure>"#,
            finding.severity,
            xml(&one_line(&finding.message))
        ),
        false => writeln!(out, "      <system-out>{text}</system-out>"),
    }
}

fn place(finding: &Finding, paths: &RepositoryPaths) -> String {
    let path = paths.of(&finding.primary.path);
    let path = one_line(&path);
    match &finding.primary.source {
        None => path.into_owned(),
        Some((file, span)) => {
            let at = file.line_column(span.start);
            format!("{path}:{}:{}", at.line, at.column)
        }
    }
}
