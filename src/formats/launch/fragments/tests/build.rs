use super::{assert_shown, place};

#[test]
fn dockerfiles() {
    assert_shown(&[
        (
            "Dockerfile",
            "# é\nARG V=1.7.0\nFROM a AS base\nARG V\nARG W\nENV A=fp8 B=\"x $A\" \\\n    # comment\n    C='$A'\nENV D it is ${W:-e}\nRUN --mount=type=cache,target=/x pip install \\\n  # no\n\n  accelerate==$V\n",
            &[
                "\"pip install   accelerate==$V\" V=1.7.0 W=<`W` is given when the image is built> A=fp8 \
               B=<`$A` is not set in this Dockerfile> C=$A D=<`${W:-e}` is worked out by Docker> somewhere",
            ],
        ),
        (
            "Dockerfile",
            "FROM a AS base\nENV A=fp8 U=$X\nWORKDIR /app\nCOPY . .\nWORKDIR train\nFROM base\nCMD [\"launch\", \\\n  \"é.py\"]\nENTRYPOINT [\"tini\", \"-g\", \"--\", \"accelerate\"]\nCMD [\"launch\", \"é.py\"]\nFROM b\nCMD accelerate launch $X\n",
            &[
                "[accelerate, launch, é.py] A=fp8 U=<`$X` is not set in this Dockerfile> in train",
                "\"accelerate launch $X\" somewhere",
            ],
        ),
        (
            "a.Dockerfile",
            "FROM a\nCOPY ./ /app/\nWORKDIR /app\nCMD [\"bash\", \"-c\", \"accelerate launch \\\"$A\\\"\"]\n",
            &["\"accelerate launch \\\"$A\\\"\" in "],
        ),
        (
            "Dockerfile",
            "FROM a\nRUN <<EOF\nset -e\npip install trl\nEOF\nRUN cat > a.yaml <<'E' && x\nfp8: true\nE\nCOPY <<EOF /b.yaml\nfp8: no\nEOF\nENTRYPOINT accelerate launch\nCMD [\"x\"]\n",
            &[
                "\"set -e\\npip install trl\\n\" somewhere",
                "\"cat > a.yaml <<'E' && x\\nfp8: true\\nE\\n\" somewhere",
                "\"cat <<EOF > /b.yaml\\nfp8: no\\nEOF\\n\" somewhere",
                "\"accelerate launch\" somewhere",
            ],
        ),
    ]);
    let text = "FROM a\nCMD [ \"é\", \"accelerate\", \\\n \"launch\" ]\n";
    assert_eq!(
        place("Dockerfile", text, "launch"),
        Some((3, 3, "launch".to_owned()))
    );
    let text = "FROM a\nRUN é && \\\n\taccelerate launch";
    assert_eq!(
        place("Dockerfile", text, "launch"),
        Some((3, 13, "launch".to_owned()))
    );
}
