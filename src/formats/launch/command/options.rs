//! The options of the launchers: which of them take a value.

use crate::knowledge::{self, Action};

/// What an option of a launcher takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// No value.
    Nothing,
    /// One value.
    Value,
    /// No value, and it says that the script is a module.
    Module,
}

/// The options of one launcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Options {
    /// Those of `accelerate launch`, from the facts of its releases.
    Accelerate,
    /// Those that a table lists.
    Listed(&'static Listed),
    /// Those of Python itself.
    Python,
}

/// A table of options, separated by blanks, in the spelling with underscores.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Listed {
    plain: &'static str,
    valued: &'static str,
    modules: &'static str,
}

/// torch 2.9, `torch/distributed/run.py:get_args_parser` and `torch/distributed/launch.py:parse_args`, whose old
/// spelling of the last three is still met.
pub(super) static TORCHRUN: Listed = Listed {
    plain: "--standalone --no_python --run_path --use_env",
    valued: "--nnodes --nproc_per_node --rdzv_backend --rdzv_endpoint --rdzv_id --rdzv_conf --max_restarts \
             --monitor_interval --start_method --event_log_handler --role --log_dir -r --redirects -t --tee \
             --local_ranks_filter --duplicate_stdout_filters --duplicate_stderr_filters --node_rank --master_addr \
             --master_port --local_addr --logs_specs --numa_binding --signals_to_handle \
             --virtual_local_rank",
    modules: "-m --module",
};

/// deepspeed 0.19, `deepspeed/launcher/runner.py:parse_args`.
pub(super) static DEEPSPEED: Listed = Listed {
    plain: "--no_python --no_local_rank --no_ssh --no_ssh_check --force_multi --save_pid --elastic_training \
            --bind_cores_to_rank",
    valued: "-H --hostfile -i --include -e --exclude --num_nodes --min_elastic_nodes --max_elastic_nodes --num_gpus \
             --num_accelerators --master_port --master_addr --node_rank --launcher --launcher_args \
             --enable_each_rank_log --autotuning --comment --account --bind_core_list --ssh_port --venv_script",
    modules: "--module",
};

impl Options {
    /// What this option takes (without `=` and value); `None` where the launcher has no such option.
    pub(super) fn takes(self, option: &str) -> Option<Takes> {
        match self {
            Self::Accelerate => accelerate(option),
            Self::Listed(listed) => listed.takes(option),
            Self::Python => python(option),
        }
    }
}

/// The newest release that has the option decides.
fn accelerate(option: &str) -> Option<Takes> {
    let mut releases = knowledge::releases().iter().rev();
    let flag = releases.find_map(|release| knowledge::accelerate(release)?.facts.option(option))?;
    Some(match flag.action {
        _ if flag.dest == "module" => Takes::Module,
        Action::Store | Action::Append | Action::Remainder => Takes::Value,
        Action::StoreTrue | Action::StoreFalse | Action::Help => Takes::Nothing,
    })
}

impl Listed {
    fn takes(&self, option: &str) -> Option<Takes> {
        let option = if option.starts_with("--") {
            option.replace('-', "_").replacen("__", "--", 1)
        } else {
            option.to_owned()
        };
        let lists = [
            (self.plain, Takes::Nothing),
            (self.valued, Takes::Value),
            (self.modules, Takes::Module),
        ];
        let known = || {
            lists.iter().flat_map(|(list, takes)| {
                list.split_ascii_whitespace().map(|known| (known, *takes))
            })
        };
        if let Some((_, takes)) = known().find(|(known, _)| *known == option) {
            return Some(takes);
        }
        // argparse takes the beginning of an option for it, if it is that of one alone.
        let mut alike = known().filter(|(known, _)| {
            option.starts_with("--") && option.len() > 2 && known.starts_with(&option)
        });
        match (alike.next(), alike.next()) {
            (Some((_, takes)), None) => Some(takes),
            _ => None,
        }
    }
}

/// `python --help`. Letters can stand together, `-um`.
fn python(option: &str) -> Option<Takes> {
    if option.starts_with("--") {
        return Some(match option {
            "--check-hash-based-pycs" => Takes::Value,
            _ => Takes::Nothing,
        });
    }
    for (at, letter) in option.char_indices().skip(1) {
        let is_last = at + letter.len_utf8() == option.len();
        match letter {
            'm' if is_last => return Some(Takes::Module),
            'X' | 'W' => {
                return Some(if is_last {
                    Takes::Value
                } else {
                    Takes::Nothing
                });
            }
            'c' | 'm' => return None,
            _ => {}
        }
    }
    Some(Takes::Nothing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_the_launchers() {
        use Takes::{Module, Nothing, Value};
        let torchrun = Options::Listed(&TORCHRUN);
        let deepspeed = Options::Listed(&DEEPSPEED);
        for (options, option, expected) in [
            (Options::Accelerate, "--config_file", Some(Value)),
            (Options::Accelerate, "--num-processes", Some(Value)),
            (Options::Accelerate, "--multi_gpu", Some(Nothing)),
            (Options::Accelerate, "-m", Some(Module)),
            (Options::Accelerate, "--ipex", Some(Nothing)), // until 1.9.0
            (Options::Accelerate, "--lr", None),
            (torchrun, "--nproc-per-node", Some(Value)),
            (torchrun, "--nproc_per_node", Some(Value)),
            (torchrun, "--nproc", Some(Value)),
            (torchrun, "--r", None), // --rdzv_…, --role, --redirects, --run_path
            (torchrun, "-m", Some(Module)),
            (torchrun, "--standalone", Some(Nothing)),
            (deepspeed, "--include", Some(Value)),
            (deepspeed, "--module", Some(Module)),
            (deepspeed, "--deepspeed", None),
            (Options::Python, "-u", Some(Nothing)),
            (Options::Python, "-um", Some(Module)),
            (Options::Python, "-W", Some(Value)),
            (Options::Python, "-Wignore", Some(Nothing)),
            (Options::Python, "-c", None),
        ] {
            assert_eq!(options.takes(option), expected, "{option}");
        }
    }
}
