//! Who says what about the precision of a run, and who wins.

use crate::resolve::{Ask, Origin, Outcome, Voice, deepspeed_configs};
use crate::rules::Subject;
use crate::source::{Object, Route};

use super::escape;

/// How much of what is said the table shows, in characters.
const WIDTH: usize = 48;

/// One voice about the precision of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Says {
    /// Who speaks: `recipe`, `launch flag`, `config`.
    pub(super) who: &'static str,
    /// What is said, as it would be written: `bf16: true`, `--mixed_precision bf16`.
    pub(super) what: String,
    /// Where: path and line; `None` where no file says it.
    pub(super) place: Option<(String, usize)>,
    /// Whether this is what decides `mixed_precision` in the end.
    pub(super) wins: bool,
}

/// Every voice of a run, the strongest first.
pub(super) fn says(subject: &Subject<'_>) -> Vec<Says> {
    let winner = winner(&subject.outcome);
    let mut rows: Vec<(u8, Says)> = subject
        .asks
        .iter()
        .map(|ask| (rank(ask.origin.voice), row(ask, winner)))
        .collect();
    rows.extend(of_deepspeed(subject).map(|row| (rank(Voice::DeepSpeedKey), row)));
    // A default, or what a framework writes, is nobody's ask.
    if let Some(winner) = winner
        && !rows.iter().any(|(_, row)| row.wins)
    {
        let value = subject.outcome.decision("mixed_precision");
        let what = value.map_or_else(String::new, |decision| {
            format!("{} ({})", decision.value, winner.name)
        });
        let row = Says {
            who: who(winner.voice),
            what,
            place: place(winner),
            wins: true,
        };
        rows.push((rank(winner.voice), row));
    }
    // Under DeepSpeed its own config decides where nobody asks for fp8.
    let on_deepspeed = subject
        .outcome
        .decision("distributed_type")
        .is_some_and(|decided| decided.value == "DEEPSPEED");
    let is_no = subject
        .outcome
        .decision("mixed_precision")
        .is_some_and(|decided| decided.value == "no");
    if on_deepspeed && is_no && rows.iter().any(|(_, row)| is_enabled(row)) {
        for (_, row) in &mut rows {
            row.wins = is_enabled(row);
        }
    }
    rows.sort_by_key(|(rank, _)| *rank);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// What the DeepSpeed configs of the run say.
fn of_deepspeed(subject: &Subject<'_>) -> impl Iterator<Item = Says> {
    let configs = deepspeed_configs(subject.run, subject.files).into_iter();
    configs.flat_map(|(file, document)| {
        let rows = ["bf16.enabled", "fp16.enabled"].map(|route| {
            let (_, value) = document.at(&Route::keys(route.split('.')))?;
            Some(Says {
                who: who(Voice::DeepSpeedKey),
                what: format!("{route}: {}", file.slice(value.span())),
                place: Some((file.path.clone(), file.line_column(value.span().start).line)),
                wins: false,
            })
        });
        rows.into_iter().flatten()
    })
}

/// Whether a row turns a precision of DeepSpeed's on.
fn is_enabled(row: &Says) -> bool {
    row.who == who(Voice::DeepSpeedKey) && row.what.ends_with(": true")
}

/// Who decides `mixed_precision`; nobody where the run does not come so far.
fn winner(outcome: &Outcome) -> Option<&Origin> {
    let decision = outcome.decision("mixed_precision")?;
    Some(&decision.origin)
}

fn row(ask: &Ask, winner: Option<&Origin>) -> Says {
    let name = &ask.origin.name;
    let value = match &ask.value {
        Object::Bool(value) => value.to_string(),
        Object::None => "null".to_owned(),
        value => value.python_str(),
    };
    let what = match ask.origin.voice {
        Voice::Flag | Voice::ScriptArgument => format!("{name} {value}"),
        Voice::Environment => format!("{name}={value}"),
        Voice::Code => format!("{name}={value}"),
        Voice::ConfigKey | Voice::DeepSpeedKey | Voice::RecipeKey => format!("{name}: {value}"),
        Voice::Framework | Voice::Default => value,
    };
    Says {
        who: who(ask.origin.voice),
        what,
        place: place(&ask.origin),
        wins: winner.is_some_and(|winner| *winner == ask.origin),
    }
}

fn place(origin: &Origin) -> Option<(String, usize)> {
    let place = origin.place.as_ref()?;
    Some((
        place.file.path.clone(),
        place.file.line_column(place.value.start).line,
    ))
}

/// How a voice is called.
fn who(voice: Voice) -> &'static str {
    match voice {
        Voice::Code => "code",
        Voice::RecipeKey => "recipe",
        Voice::ScriptArgument => "script argument",
        Voice::Framework => "framework",
        Voice::Flag => "launch flag",
        Voice::ConfigKey => "config",
        Voice::DeepSpeedKey => "DeepSpeed config",
        Voice::Environment => "environment",
        Voice::Default => "default",
    }
}

/// The order of the table: as voices beat each other as a rule.
fn rank(voice: Voice) -> u8 {
    match voice {
        Voice::Code => 0,
        Voice::ScriptArgument => 1,
        Voice::RecipeKey => 2,
        Voice::Framework => 3,
        Voice::Flag => 4,
        Voice::ConfigKey => 5,
        Voice::DeepSpeedKey => 6,
        Voice::Environment => 7,
        Voice::Default => 8,
    }
}

/// The table of a run's voices, as text.
pub(super) fn table(subject: &Subject<'_>) -> String {
    let rows: Vec<[String; 4]> = says(subject)
        .into_iter()
        .map(|says| {
            let place = says
                .place
                .map_or_else(String::new, |(path, line)| format!("{path}:{line}"));
            let wins = if says.wins { "wins" } else { "" };
            let what = escape::shortened(&says.what, WIDTH);
            [says.who, &what, &place, wins].map(|cell| escape::one_line(cell).into_owned())
        })
        .collect();
    let header = ["who", "says", "where", ""].map(str::to_owned);
    let width = |column: usize| {
        let cells = std::iter::once(&header).chain(&rows);
        cells
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths = [width(0), width(1), width(2)];
    let mut text = String::new();
    for row in std::iter::once(&header).chain(&rows) {
        let [first, second, third, last] = row;
        let line = format!(
            "  {first:0$}  {second:1$}  {third:2$}  {last}",
            widths[0], widths[1], widths[2]
        );
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
