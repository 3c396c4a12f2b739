//! Judge: runs with their outcomes → findings. One file per rule.
//!
//! A rule is a `pub(crate) static RULE: Rule` in a file of its own, with its examples beside it. The list at the end of
//! this page is the only other place that knows it.

mod advice;
mod declared;
mod deepspeed;
mod examples;
pub mod finding;
pub mod fix;
mod keeping;
mod mend;
mod names;
mod presets;
mod recipe;
mod recipe_fp8;
mod releases;
mod sections;
pub mod subject;
mod voices;

pub use examples::Example;
pub use finding::{AskedAndRuns, Confidence, Finding, FindingPlace, Key, Label, Severity};
pub use fix::{Fix, Safety};
pub use releases::judge;
pub use subject::{Subject, precision_that_runs};

/// A rule: what it is called, what it says about itself, and how it judges.
pub struct Rule {
    /// The stable code: `FP101`. The hundreds say what the fault does to the user.
    pub code: &'static str,
    /// The kebab-case name, accepted wherever the code is.
    pub name: &'static str,
    /// How bad its findings are, unless a finding says otherwise.
    pub severity: Severity,
    /// How sure its findings are, unless a finding says otherwise.
    pub confidence: Confidence,
    /// One line: the fault.
    pub summary: &'static str,
    /// Why it is bad, with the source of the fact (package, file, function, versions), and what to do.
    pub explanation: &'static str,
    /// Files that the rule finds fault with, and files that it passes. The tests run them, the docs show them.
    pub examples: &'static [Example],
    /// Adds the findings about one run.
    pub(crate) check: fn(&Subject<'_>, &mut Vec<Finding>),
}

impl Rule {
    /// A finding of this rule.
    pub(crate) fn finding(&self, message: impl Into<String>, primary: Label) -> Finding {
        Finding {
            code: self.code,
            name: self.name,
            severity: self.severity,
            confidence: self.confidence,
            message: message.into(),
            primary,
            related: Vec::new(),
            notes: Vec::new(),
            help: None,
            outcome: None,
            key: Key::default(),
            occurrence: 0,
            fixes: Vec::new(),
        }
    }
}

/// The rules that are only asked where they are selected by name.
pub const OPT_IN: &[&str] = &["FP405"];

/// Everything that the rules have to say about one run under one release, in the order of the text.
pub fn judge_release(subject: &Subject<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in RULES {
        (rule.check)(subject, &mut findings);
    }
    presets::relabel(subject, &mut findings);
    findings.sort_by_key(|finding| {
        let offset = finding
            .primary
            .source
            .as_ref()
            .map_or(0, |(_, span)| span.start);
        (finding.primary.path.clone(), offset, finding.code)
    });
    findings
}

/// Declares the rules' modules and lists them: the one place in which a rule registers itself.
macro_rules! rules {
    ($($module:ident,)+) => {
        $(mod $module;)+

        /// All rules, by code.
        pub static RULES: &[&Rule] = &[$(&$module::RULE,)+];
    };
}

rules! {
    fp101_unknown_key,
    fp102_bare_fp8,
    fp103_fp8_block_at_top_level,
    fp104_mixed_precision,
    fp105_override_linear_precision,
    fp106_config_cannot_be_loaded,
    fp107_num_processes,
    fp108_refused,
    fp109_config_file_missing,
    fp110_launch_words_refused,
    fp201_fp8_backend,
    fp202_recipe_value,
    fp203_ao_fsdp_cpu_ram_efficient_loading,
    fp204_msamp_fsdp,
    fp205_deepspeed_config_file,
    fp206_raises,
    fp207_fp8_backend_left_behind,
    fp208_deepspeed_mismatch,
    fp209_te_model_alone,
    fp210_declared_fp8_block_value,
    fp211_trainer_argument,
    fp212_recipe_key_refused,
    fp213_checkpoint_save,
    fp214_deepspeed_bf16_keys,
    fp301_bare_fp8_in_section,
    fp302_fp8_block_in_section,
    fp303_fp8_config_without_fp8,
    fp304_recipe_key,
    fp305_te_fsdp2,
    fp306_no_fp8_backend,
    fp307_duplicate_key,
    fp308_fp8_is_lost,
    fp309_precision_is_lost,
    fp310_declared_fp8_block_default,
    fp311_declared_fp8_block_place,
    fp312_fp8_config_type,
    fp313_recipe_setting,
    fp314_unused_section,
    fp315_downcast_bf16,
    fp316_legacy_key,
    fp317_section_key,
    fp318_precision_in_section,
    fp319_recipe_beats_launch,
    fp320_recipe_dropped,
    fp321_flag_beats_config,
    fp323_config_not_read,
    fp324_quoted_boolean,
    fp325_fp8_flags_without_fp8,
    fp326_recipe_key_unread,
    fp327_llamafactory_fp8,
    fp328_axolotl_fp8,
    fp331_llamafactory_fp8_setting,
    fp332_trl_launch_words_dropped,
    fp333_swift_fp8,
    fp401_section_beats_top_level,
    fp402_precision_said_twice,
    fp405_unused_config,
    fp601_package_missing,
    fp602_capability,
    fp603_bf16_emulated,
    fp604_backend_not_among_dependencies,
    fp605_pin_too_old,
    fp906_not_followed,
}
