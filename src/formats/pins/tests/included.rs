//! Requirements files that include others.

use super::*;

/// Files by their paths.
struct Files(&'static [(&'static str, &'static str)]);

impl Beside for Files {
    fn read(&self, path: &str) -> Option<Arc<SourceFile>> {
        let (path, text) = self.0.iter().find(|(name, _)| *name == path)?;
        Some(Arc::new(SourceFile::from_text(*path, *text)))
    }
}

#[test]
fn included_files_are_read_from_where_they_are_named() {
    let files = Files(&[
        (
            "requirements/base.txt",
            "torch>=2\n-r ../requirements.txt\n--requirement=./deep/x.txt\n",
        ),
        (
            "requirements/deep/x.txt",
            "trl==1.0\n-c ../../constraints.txt\n",
        ),
        ("constraints.txt", "trl==1.1\n-r more.txt\n"),
        ("more.txt", "deepspeed==0.19.8\n"),
        ("../up.txt", "torchao\n"),
    ]);
    let text = "-rrequirements/base.txt # all\n-r ../up.txt\n-c https://example.org/constraints.txt\n\
        -r missing.txt\n-r /etc/x.txt\n-r ${HOME}/x.txt\n-r\naccelerate==1.7.0\n";
    let file = Arc::new(SourceFile::from_text("requirements.txt", text));
    let pins = PinFile::Requirements.pins_of("requirements.txt", &file, &files);
    let found: Vec<_> = pins
        .iter()
        .map(|pin| {
            format!(
                "{}:{} {} {}",
                pin.file.path,
                pin.line,
                pin.requirement(),
                pin.is_constraint
            )
        })
        .collect();
    assert_eq!(
        found,
        [
            "requirements.txt:8 accelerate==1.7.0 false",
            "requirements/base.txt:1 torch>=2 false",
            "../up.txt:1 torchao false",
            "requirements/deep/x.txt:1 trl==1.0 false",
            "constraints.txt:1 trl==1.1 true",
            "more.txt:1 deepspeed==0.19.8 true",
        ]
    );
}

#[test]
fn inclusion_ends() {
    /// Every file includes two more.
    struct Endless;
    impl Beside for Endless {
        fn read(&self, path: &str) -> Option<Arc<SourceFile>> {
            let text = format!("torch\n-r {path}a\n-r {path}b\n-r {path}\n");
            Some(Arc::new(SourceFile::from_text(path, text)))
        }
    }
    let file = Arc::new(SourceFile::from_text("r", "-r a\n"));
    let pins = PinFile::Requirements.pins_of("r", &file, &Endless);
    assert_eq!(pins.len(), 31);
}
