//! Days of the calendar, for `until=`.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

const SECONDS_OF_A_DAY: u64 = 24 * 60 * 60;

/// A day.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    year: u16,
    month: u8,
    day: u8,
}

impl Date {
    /// Reads `YYYY-MM-DD`; `None` where the calendar has no such day.
    pub fn parse(text: &str) -> Option<Self> {
        let number = |range: std::ops::Range<usize>| {
            let digits = text.get(range)?;
            let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| digits.parse::<u16>().ok()).flatten()
        };
        let is_shaped = text.len() == 10
            && text.as_bytes().get(4) == Some(&b'-')
            && text.as_bytes().get(7) == Some(&b'-');
        if !is_shaped {
            return None;
        }
        let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
        let month = u8::try_from(month).ok()?;
        let day = u8::try_from(day).ok()?;
        let exists = (1..=12).contains(&month) && (1..=days_of(year, month)).contains(&day);
        exists.then_some(Self { year, month, day })
    }

    /// The day that the system's clock shows, in UTC.
    pub fn today() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        Self::of_day(since.unwrap_or_default().as_secs() / SECONDS_OF_A_DAY)
    }

    /// The day this many days after 1970-01-01; the last one that can be written, where it lies behind that.
    fn of_day(mut days: u64) -> Self {
        let mut date = Self {
            year: 1970,
            month: 1,
            day: 1,
        };
        while date.year < 9999 {
            let of_year = if is_leap(date.year) { 366 } else { 365 };
            if days < of_year {
                break;
            }
            days -= of_year;
            date.year += 1;
        }
        while date.month < 12 && days >= u64::from(days_of(date.year, date.month)) {
            days -= u64::from(days_of(date.year, date.month));
            date.month += 1;
        }
        date.day = u8::try_from(days + 1).unwrap_or(31).min(31);
        date
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
}

fn days_of(year: u16, month: u8) -> u8 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_of_the_calendar() {
        for (text, is_day) in [
            ("2026-12-01", true),
            ("2024-02-29", true),
            ("2026-02-29", false),
            ("2100-02-29", false),
            ("2026-13-01", false),
            ("2026-00-01", false),
            ("2026-04-31", false),
            ("2026-4-1", false),
            ("+026-04-01", false),
            ("2026-04-0é", false),
            ("", false),
        ] {
            assert_eq!(Date::parse(text).is_some(), is_day, "{text}");
        }
    }

    #[test]
    fn days_since_the_epoch() {
        for (days, date) in [
            (0, "1970-01-01"),
            (58, "1970-02-28"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (20_788, "2026-12-01"),
            (u64::MAX, "9999-12-31"),
        ] {
            assert_eq!(Date::of_day(days).to_string(), date);
            assert_eq!(Date::parse(date), Some(Date::of_day(days)));
        }
    }
}
