//! GPU models and their compute capability.
//!
//! Source: NVIDIA, "CUDA GPU Compute Capability" (<https://developer.nvidia.com/cuda-gpus>), read on 2026-11-30.

use super::Gpu;

const fn gpu(name: &'static str, major: u32, minor: u32) -> Gpu {
    Gpu {
        name,
        capability: (major, minor),
    }
}

/// The models, newest generation first.
pub(super) const GPUS: &[Gpu] = &[
    gpu("rtx5090", 12, 0),
    gpu("rtx5080", 12, 0),
    gpu("rtx5070", 12, 0),
    gpu("rtx-pro-6000-blackwell", 12, 0),
    gpu("gb300", 10, 3),
    gpu("b300", 10, 3),
    gpu("gb200", 10, 0),
    gpu("b200", 10, 0),
    gpu("gh200", 9, 0),
    gpu("h200", 9, 0),
    gpu("h100", 9, 0),
    gpu("h800", 9, 0),
    gpu("h20", 9, 0),
    gpu("l40s", 8, 9),
    gpu("l40", 8, 9),
    gpu("l4", 8, 9),
    gpu("rtx6000-ada", 8, 9),
    gpu("rtx4090", 8, 9),
    gpu("rtx4080", 8, 9),
    gpu("rtx4070", 8, 9),
    gpu("a100", 8, 0),
    gpu("a800", 8, 0),
    gpu("a30", 8, 0),
    gpu("a40", 8, 6),
    gpu("a10", 8, 6),
    gpu("a10g", 8, 6),
    gpu("a16", 8, 6),
    gpu("a2", 8, 6),
    gpu("a6000", 8, 6),
    gpu("a5000", 8, 6),
    gpu("a4000", 8, 6),
    gpu("rtx3090", 8, 6),
    gpu("rtx3080", 8, 6),
    gpu("rtx3070", 8, 6),
    gpu("rtx3060", 8, 6),
    gpu("t4", 7, 5),
    gpu("rtx2080ti", 7, 5),
    gpu("rtx2080", 7, 5),
    gpu("titan-rtx", 7, 5),
    gpu("v100", 7, 0),
    gpu("p100", 6, 0),
];

/// The model of a name, however it is spelled: `H100`, `nvidia-h100`, `RTX 4090`.
pub(super) fn find(name: &str) -> Option<Gpu> {
    let wanted = plain(name);
    let wanted = wanted.strip_prefix("nvidia").unwrap_or(&wanted);
    GPUS.iter()
        .find(|gpu| {
            let known = plain(gpu.name);
            known == wanted || wanted.strip_prefix("rtx") == Some(known.as_str())
        })
        .copied()
}

fn plain(name: &str) -> String {
    name.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|character| character.to_ascii_lowercase())
        .collect()
}
