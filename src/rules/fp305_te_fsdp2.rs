//! FP305: Transformer Engine under FSDP2 never enters fp8.

use crate::resolve::Verdict;
use crate::source::Route;

use super::{
    Confidence, Example, Finding, Fix, Label, Rule, Safety, Severity, Subject, advice, mend,
};

pub(crate) static RULE: Rule = Rule {
    code: "FP305",
    name: "te-fsdp2",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "Transformer Engine under FSDP2: its layers are put in, but fp8 is never entered.",
    explanation: "\
`prepare()` swaps in Transformer Engine's layers, but the FSDP2 path never wraps the model in `fp8_autocast`: only
`prepare_model` and `_prepare_deepspeed` do (accelerate 1.8.1 to 1.15.0, accelerator.py:_prepare_fsdp2). The run trains
in bf16, without a message. Use AO with FSDP2, or FSDP1.",
    examples: &[
        Example::fails(
            "TE with fsdp_version 2",
            "distributed_type: FSDP\nmixed_precision: fp8\nnum_processes: 8\nfsdp_config:\n  fsdp_version: 2\n  fsdp_cpu_ram_efficient_loading: false\nfp8_config:\n  backend: TE\n",
        ),
        Example::passes(
            "TE with FSDP1",
            "distributed_type: FSDP\nmixed_precision: fp8\nnum_processes: 8\nfsdp_config:\n  fsdp_version: 1\nfp8_config:\n  backend: TE\n",
        ),
        Example::passes(
            "AO with FSDP2",
            "distributed_type: FSDP\nmixed_precision: fp8\nnum_processes: 8\nfsdp_config:\n  fsdp_version: 2\n  fsdp_cpu_ram_efficient_loading: false\nfp8_config:\n  backend: AO\n",
        ),
    ],
    check,
};

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let last = subject.last();
    let is_lost = matches!(
        &last.verdict,
        Verdict::NoFp8 {
            te_layers: true,
            ..
        }
    );
    if !is_lost || !subject.asks_for_fp8() {
        return;
    }
    let place = subject
        .within("fp8_config", "backend")
        .or_else(|| subject.top("mixed_precision"));
    let Some(place) = place else { return };
    let message = format!(
        "{} never enters fp8 with Transformer Engine under FSDP2: the run trains in bf16, without a message",
        subject.version()
    );
    let mut finding = RULE.finding(message, Label::value(&place, "Transformer Engine"));
    finding.key = subject.key_at(&place.route);
    if let Some(version) = subject.within("fsdp_config", "fsdp_version") {
        finding.related.push(Label::value(&version, "FSDP2"));
    }
    finding.help = Some(match advice::ao_fails_under_fsdp2(subject) {
        true => format!(
            "write fsdp_version: 1, or use accelerate {} with backend: AO and fsdp_cpu_ram_efficient_loading: false",
            advice::ao_under_fsdp2()
        ),
        false => {
            "write backend: AO and fsdp_cpu_ram_efficient_loading: false, or stay with TE and write fsdp_version: 1"
                .to_owned()
        }
    });
    let stays = advice::ao_fails_under_fsdp2(subject);
    let edits = mend::config(subject).and_then(|editor| {
        let editor = match stays {
            true => editor.put(&Route::keys(["fsdp_config", "fsdp_version"]), 1),
            false => {
                let editor = editor.put(&Route::keys(["fp8_config", "backend"]), "AO");
                mend::ao_under_fsdp(subject, editor)
            }
        };
        editor.finish()
    });
    let title = match stays {
        true => "write fsdp_version: 1",
        false => "write backend: AO and fsdp_cpu_ram_efficient_loading: false",
    };
    finding.fixes.extend(Fix::of(title, Safety::Unsafe, edits));
    finding.outcome = Some(subject.asked_and_runs("fp8", last));
    findings.push(finding);
}
