use super::{place, shown};

/// A workflow with one step, whose text is written in some style.
fn workflow(run: &str) -> String {
    format!("on: push\njobs:\n  a:\n    steps:\n      - run: {run}\n        name: é\n")
}

#[test]
fn every_style_gives_its_text_and_its_places() {
    // The scalar; its text; the place and the source of `train.py`.
    let cases = [
        (
            "accelerate launch train.py",
            "accelerate launch train.py",
            (5, 32),
        ),
        (
            "'é '' accelerate train.py'",
            "é ' accelerate train.py",
            (5, 31),
        ),
        (
            "\"é \\\" \\u00e9\\t accelerate train.py\"",
            "é \" é\t accelerate train.py",
            (5, 40),
        ),
        (
            "accelerate launch\n          --x 1\n          train.py",
            "accelerate launch --x 1 train.py",
            (7, 11),
        ),
        (
            "\"accelerate \\\n          é\n\n          train.py\"",
            "accelerate é\ntrain.py",
            (8, 11),
        ),
        (
            "|\n          cd é\n            accelerate\n\n          train.py",
            "cd é\n  accelerate\n\ntrain.py\n",
            (9, 11),
        ),
        (
            "|-\n          accelerate \\\n            train.py",
            "accelerate \\\n  train.py",
            (7, 13),
        ),
        (
            "|2+\n          accelerate\n          train.py\n\n",
            "accelerate\ntrain.py\n\n\n",
            (7, 11),
        ),
        (
            ">-\n          accelerate\n          launch\n          train.py",
            "accelerate launch train.py",
            (8, 11),
        ),
        (
            ">\n          accelerate\n\n          a\n            b\n          train.py",
            "accelerate\na\n  b\ntrain.py\n",
            (10, 11),
        ),
        (
            ">2\n\n          accelerate\n          train.py",
            "\naccelerate train.py\n",
            (8, 11),
        ),
    ];
    for (run, text, (line, column)) in cases {
        let file = workflow(run);
        assert_eq!(shown("a.yml", &file), [format!("{text:?} in ")], "{file}");
        let expected = Some((line, column, "train.py".to_owned()));
        assert_eq!(place("a.yml", &file, "train.py"), expected, "{file}");
        let file = file.replace('\n', "\r\n");
        assert_eq!(shown("a.yml", &file), [format!("{text:?} in ")], "{file}");
        assert_eq!(place("a.yml", &file, "train.py"), expected, "{file}");
    }
}

#[test]
fn an_escape_is_all_its_bytes() {
    let file = "{\"configurations\": [{\"program\": \"\\u00e9\\ud83d\\ude00.py\", \"module\": null, \"args\": [\"a\\\\b\"]},\n {\"program\": \"accelerate\"}]}";
    assert_eq!(shown("launch.json", file)[0], "[python, -m, , a\\b] in ");
    let file = file.replace(" \"module\": null,", "");
    assert_eq!(
        place("launch.json", &file, "é😀.py"),
        Some((1, 34, "\\u00e9\\ud83d\\ude00.py".to_owned()))
    );
    assert_eq!(
        place("launch.json", &file, "a\\b"),
        Some((1, 68, "a\\\\b".to_owned()))
    );
}
