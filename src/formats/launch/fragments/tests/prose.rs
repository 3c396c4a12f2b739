use super::{assert_shown, place, read};

#[test]
fn markdown() {
    assert_shown(&[(
        "README.md",
        "# é accelerate\n\n```bash\naccelerate launch a.py\n```\n\n1. x\n   ~~~~ {.sh}\n   accelerate \\\n     b.py\n   ```\n   ~~~~\n\n```console\n$ accelerate launch \\\n>   c.py\nLoss 1\n$ torchrun d.py\n```\n\n```\naccelerate launch e.py\n```\n\n```python\nimport accelerate\n```\n\n```\nsee accelerate\n```\n\n```sh\nls\n```\n",
        &[
            "\"accelerate launch a.py\\n\" in ",
            "\"accelerate \\\\\\n  b.py\\n```\\n\" in ",
            "\"accelerate launch \\\\\\n  c.py\\ntorchrun d.py\\n\" in ",
            "\"accelerate launch e.py\\n\" in ",
        ],
    )]);
    let text = "é\n* ```sh\n  é accelerate x.py";
    assert_eq!(
        place("a.md", text, "x.py"),
        Some((3, 16, "x.py".to_owned()))
    );
    assert!(read("a.md", text)[0].is_prose);
}
