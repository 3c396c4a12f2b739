//! Which findings are reported, how bad they are, and which of them fail: by the settings nearest to each one's file.

use std::path::Path;

use crate::rules::Finding;

use super::super::failure::Failure;
use super::plan::Plan;

impl Plan {
    /// The findings that are reported, each as bad as the settings say.
    pub(in crate::cli) fn selected(
        &self,
        findings: impl IntoIterator<Item = Finding>,
    ) -> Result<Vec<Finding>, Failure> {
        let mut selected = Vec::new();
        for mut finding in findings {
            let file = Path::new(&finding.primary.path);
            let settings = self.assumptions.settings_of(file)?;
            let path = self.assumptions.absolute(file);
            let settings = settings
                .as_deref()
                .map(|declared| (declared, path.as_path()));
            if self.selection.judge(&mut finding, settings) {
                selected.push(finding);
            }
        }
        Ok(selected)
    }

    /// Whether the rule of this code is asked in a file.
    pub(in crate::cli) fn asks(&self, file: &Path, code: &str) -> bool {
        // Wrong settings were said when the files were read.
        let settings = self.assumptions.settings_of(file).ok().flatten();
        let path = self.assumptions.absolute(file);
        let settings = settings
            .as_deref()
            .map(|declared| (declared, path.as_path()));
        self.selection.holds(code, settings)
    }

    /// Whether a finding makes the exit code 1.
    pub(in crate::cli) fn fails(&self, finding: &Finding) -> bool {
        let file = Path::new(&finding.primary.path);
        // Wrong settings were said when the finding was selected.
        let settings = self.assumptions.settings_of(file).ok().flatten();
        finding.severity >= self.selection.fail_on(settings.as_deref())
    }
}
