//! The machine on which a run is assumed to happen.

use crate::knowledge::Version;

/// The oldest torchao that counts: accelerate 1.15.0, utils/imports.py:is_torchao_available; the same since there is one.
const OLDEST_TORCHAO: [u64; 3] = [0, 6, 1];

/// The machine on which a run is assumed to happen.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// The packages that decide: `torchao`, `transformer_engine`, `msamp`, `deepspeed`, `torch_xla`, `sagemaker`,
    /// `megatron`; with `==VERSION` where the version is declared.
    pub installed: Vec<String>,
    /// Whether no other package is installed, not even one that nobody thinks of declaring, such as pytest.
    pub nothing_else: bool,
    /// Whether torch and transformers are those of the oracle even beside an old accelerate, which they may not fit;
    /// else they are of its own time.
    pub is_newest: bool,
    /// How many GPUs.
    pub gpus: u32,
    /// Their compute capability.
    pub capability: (u32, u32),
}

impl Machine {
    /// Whether a package is installed, in a version that accelerate takes.
    pub fn has(&self, package: &str) -> bool {
        self.version_of(package).is_some_and(|version| {
            let is_too_old = || {
                let version = version.parse::<Version>();
                version.is_ok_and(|version| version < Version::new(OLDEST_TORCHAO))
            };
            package != "torchao" || !is_too_old()
        })
    }

    /// Whether a package is certainly not installed.
    pub fn lacks(&self, package: &str) -> bool {
        self.nothing_else && !self.has(package)
    }

    /// The declared version of an installed package; empty where none is declared.
    pub fn version_of(&self, package: &str) -> Option<&str> {
        self.installed.iter().find_map(|installed| {
            let (name, version) = installed.split_once("==").unwrap_or((installed, ""));
            (name == package).then_some(version)
        })
    }
}

impl Default for Machine {
    /// The oracle's machine: torchao and DeepSpeed, eight GPUs of capability 9.0.
    fn default() -> Self {
        Self {
            installed: vec!["torchao".to_owned(), "deepspeed".to_owned()],
            nothing_else: true,
            is_newest: true,
            gpus: 8,
            capability: (9, 0),
        }
    }
}
