//! What sets findings aside, in this order: the selection of rules, ignore comments, the baseline.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use crate::discover::{self, Local, RepositoryPaths};
use crate::formats::{Kind, launch};
use crate::report;
use crate::resolve::{Config, ConfigFile};
use crate::rules::Finding;
use crate::source::SourceFile;
use crate::suppress::{
    self, Date, Entry, IgnoringFile, MARK, Problem, ProblemKind, Rules, Suppressed,
};

use super::super::arguments::CheckArguments;
use super::super::failure::Failure;
use super::super::selection::codes_of;
use super::super::{catalogue, notices};
use super::baseline::{self, BaselineFile};
use super::file::{FileResult, Holds};
use super::inputs;
use super::left_out;
use super::plan::{Plan, current_folder};
use super::runs::Launched;

/// The variable with the day that counts as today, as in `FP8LINT_TODAY=2027-01-31`: shows in advance which comments
/// will have expired, and keeps tests the same on every day.
const TODAY: &str = "FP8LINT_TODAY";

/// The settings of this stage.
pub(in crate::cli) struct SettingAside {
    /// Whether ignore comments count.
    ignores: bool,
    pub(super) today: Date,
    pub(super) baseline: Option<BaselineFile>,
    /// Whether it is not said what was written.
    pub(super) quiet: bool,
    /// Whether stale entries are taken out, rather than reported.
    prunes: bool,
    /// The files and folders that are checked, from the root of the repository.
    checked: Vec<String>,
}

impl SettingAside {
    pub(super) fn new(
        arguments: &CheckArguments,
        paths: &RepositoryPaths,
        current: &Path,
    ) -> Result<Self, Failure> {
        let today = match std::env::var(TODAY) {
            Err(_) => Date::today(),
            Ok(day) => Date::parse(&day).ok_or_else(|| {
                Failure::usage(
                    format!("{TODAY} is `{day}`, which is no day"),
                    "write it as 2027-01-31",
                )
            })?,
        };
        if arguments.add_ignores.is_some() && arguments.reads_standard_input() {
            return Err(Failure::usage(
                "--add-ignores writes into files, and standard input is none",
                "name the file",
            ));
        }
        let checked = inputs::paths(arguments);
        Ok(Self {
            ignores: !arguments.no_ignores,
            today,
            baseline: baseline::read(arguments, current)?,
            quiet: arguments.quiet,
            prunes: arguments.update_baseline.is_some(),
            checked: checked
                .iter()
                .map(|path| paths.of(&discover::shown(path, current)))
                .collect(),
        })
    }

    /// Whether a path lies in what is checked.
    pub(super) fn covers(&self, path: &str) -> bool {
        let holds = |folder: &String| {
            folder == "."
                || path
                    .strip_prefix(folder.as_str())
                    .is_some_and(|below| below.is_empty() || below.starts_with('/'))
        };
        self.checked.iter().any(holds)
    }
}

/// What this stage knows of the rules.
pub(super) struct KnownRules<'a>(pub(super) &'a Plan);

impl Rules for KnownRules<'_> {
    fn named(&self, name: &str) -> Vec<&'static str> {
        codes_of(name)
    }

    fn meant(&self, name: &str) -> Option<&'static str> {
        catalogue::meant(name)
    }

    fn is_asked(&self, path: &str, code: &str) -> bool {
        self.0.asks(Path::new(path), code)
    }

    fn can_be_ignored(&self, code: &str) -> bool {
        notices::can_be_ignored(code)
    }
}

/// What was read and judged, by the paths from the root of the repository.
pub(super) struct Judged {
    files: BTreeMap<String, JudgedFile>,
    /// Every file of the check, recognised or not.
    checked: BTreeSet<String>,
    /// Those that could not be read, or were too large.
    unread: BTreeSet<String>,
}

/// A file that was recognised.
struct JudgedFile {
    source: Option<Arc<SourceFile>>,
    is_launch: bool,
    /// Whether not everything could be found in it.
    is_partly: bool,
}

/// What is left, and what is not.
pub(super) struct Aside {
    pub(super) left: Vec<Finding>,
    pub(super) suppressed: Vec<Suppressed>,
    pub(super) stale: Vec<Entry>,
}

impl Judged {
    /// Notes what was judged, and how far.
    pub(super) fn of(files: &[FileResult], launched: &[Launched], paths: &RepositoryPaths) -> Self {
        let mut judged = Self {
            files: BTreeMap::new(),
            checked: BTreeSet::new(),
            unread: BTreeSet::new(),
        };
        for (file, launched) in files.iter().zip(launched) {
            let path = paths.of(&file.path.to_string_lossy());
            if let Some(recognised) = &file.recognised {
                let is_whole = match &file.holds {
                    Holds::Nothing | Holds::Config(Config::Unreadable { .. }) => false,
                    Holds::Config(Config::File(ConfigFile { read, .. })) => read.is_ok(),
                    _ => launched.not_followed == 0,
                };
                let judged_file = JudgedFile {
                    source: file.source.clone(),
                    is_launch: recognised.kind == Kind::Launch,
                    is_partly: !is_whole,
                };
                judged.files.insert(path.clone(), judged_file);
            } else if !file.findings.is_empty() {
                judged.unread.insert(path.clone());
            }
            judged.checked.insert(path);
        }
        for path in launched.iter().flat_map(|launched| &launched.doubtful) {
            if let Some(file) = judged.files.get_mut(&paths.of(path)) {
                file.is_partly = true;
            }
        }
        judged
    }

    /// Sets findings aside. They must be sorted and numbered.
    pub(super) fn set_aside(&self, findings: Vec<Finding>, plan: &Plan) -> Result<Aside, Failure> {
        let mut aside = Aside {
            left: findings,
            suppressed: Vec::new(),
            stale: Vec::new(),
        };
        let mut problems = Vec::new();
        if plan.setting_aside.ignores {
            let rules = KnownRules(plan);
            let files = self.ignoring(&aside.left);
            let today = plan.setting_aside.today;
            let ignored = suppress::ignore(aside.left, &files, &rules, today);
            aside.left = ignored.left;
            aside.suppressed = ignored.suppressed;
            problems = ignored.problems;
        }
        if let Some(file) = &plan.setting_aside.baseline {
            let (left, suppressed, unmatched) = file.baseline.apply(aside.left, &plan.paths);
            aside.left = left;
            aside.suppressed.extend(suppressed);
            aside.stale = self.asked(unmatched, plan)?;
        }
        self.keep_known(&mut problems, &mut aside.stale, plan)?;
        let mut new: Vec<_> = problems.iter().map(notices::problem).collect();
        if let Some(file) = &plan.setting_aside.baseline
            && !aside.stale.is_empty()
            && !plan.setting_aside.prunes
        {
            new.push(notices::stale_entries(&file.shown, &aside.stale));
        }
        let mut new = plan.selected(new)?;
        report::sort(&mut new);
        report::number(&mut new);
        aside.left.extend(new);
        report::sort(&mut aside.left);
        report::sort_suppressed(&mut aside.suppressed);
        Ok(aside)
    }

    /// The files that speak to fp8lint: those of the check, and others in which something is found.
    fn ignoring(&self, findings: &[Finding]) -> Vec<IgnoringFile> {
        let speaks = |file: &Arc<SourceFile>| file.text().contains(MARK);
        let mut files: BTreeMap<String, IgnoringFile> = BTreeMap::new();
        let mut known = BTreeSet::new();
        for judged in self.files.values() {
            let Some(source) = &judged.source else {
                continue;
            };
            known.insert(source.path.as_str());
            if speaks(source) {
                let file = IgnoringFile {
                    file: Arc::clone(source),
                    is_launch: judged.is_launch,
                    is_judged: !judged.is_partly,
                };
                files.insert(source.path.clone(), file);
            }
        }
        for finding in findings {
            if let Some((source, _)) = &finding.primary.source
                && !known.contains(source.path.as_str())
                && speaks(source)
            {
                files
                    .entry(source.path.clone())
                    .or_insert_with(|| IgnoringFile {
                        file: Arc::clone(source),
                        is_launch: launch::is_launch_name(&source.path),
                        is_judged: false,
                    });
            }
        }
        files.into_values().collect()
    }

    /// Whether a comment may only seem to be unused: whatever names its file may find more in it.
    fn is_doubtful(&self, problem: &Problem, paths: &RepositoryPaths) -> bool {
        let path = paths.of(&problem.place.path);
        let is_config = self.files.get(&path).is_some_and(|file| !file.is_launch);
        is_config && matches!(problem.kind, ProblemKind::Unused(..))
    }

    /// Takes out what may only seem to be unused or stale, because of files that were left out.
    fn keep_known(
        &self,
        problems: &mut Vec<Problem>,
        unmatched: &mut Vec<Entry>,
        plan: &Plan,
    ) -> Result<(), Failure> {
        let doubtful = problems.iter();
        let doubtful = doubtful.filter(|problem| self.is_doubtful(problem, &plan.paths));
        let names = doubtful.map(|problem| left_out::name(&problem.place.path));
        let entries = unmatched.iter();
        let names = names.chain(entries.map(|entry| left_out::name(&entry.path)));
        let names: BTreeSet<_> = names.collect();
        if names.is_empty() {
            return Ok(());
        }
        let left_out = left_out::look(plan, &self.checked, names)?;
        let is_named = |path: &str| left_out.named.contains(left_out::name(path));
        problems.retain(|problem| {
            !self.is_doubtful(problem, &plan.paths) || !is_named(&problem.place.path)
        });
        let current = current_folder()?;
        unmatched.retain(|entry| {
            let path = plan.paths.root().join(&entry.path);
            match self.files.get(&entry.path) {
                Some(file) if file.is_launch => true,
                _ if self.checked.contains(&entry.path) => !is_named(&entry.path),
                _ if path.symlink_metadata().is_err() => {
                    plan.setting_aside.covers(&entry.path) && !is_excluded(plan, &path, &current)
                }
                // No walk names a file that pins versions: it was read where all of its repository was.
                _ => suppress::is_pin_file(&entry.path) && !left_out.any,
            }
        });
        Ok(())
    }

    /// Without those entries that were not asked for, or of whose files not everything is known.
    fn asked(&self, mut unmatched: Vec<Entry>, plan: &Plan) -> Result<Vec<Entry>, Failure> {
        let rules = KnownRules(plan);
        unmatched.retain(|entry| {
            let path = plan.paths.root().join(&entry.path);
            let is_asked = rules.named(&entry.rule).is_empty() || plan.asks(&path, &entry.rule);
            let file = self.files.get(&entry.path);
            let is_partly = file.is_some_and(|file| file.is_partly);
            is_asked && !is_partly && !self.unread.contains(&entry.path)
        });
        Ok(unmatched)
    }
}

/// Whether a search would leave a file out.
fn is_excluded(plan: &Plan, path: &Path, current: &Path) -> bool {
    let shown = discover::shown(path, current);
    let exclude = &plan.discovery.exclude;
    exclude.match_path_or_folder(Path::new(&shown)) || plan.assumptions.excludes(path)
}
