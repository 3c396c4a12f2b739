//! `!!timestamp`: PyYAML's dates and times, as Python's `str()` shows them.

use super::super::Object;

/// The parts of a timestamp as written, not yet checked against the calendar.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timestamp {
    year: u32,
    month: u32,
    day: u32,
    /// The time of day, if one is given.
    pub(super) time: Option<Time>,
}

/// A time of day and its distance from UTC.
#[derive(Clone, Copy, Debug)]
pub(super) struct Time {
    hour: u32,
    minute: u32,
    second: u32,
    microsecond: u32,
    offset_minutes: Option<i32>,
}

impl Timestamp {
    /// Reads `2024-1-2`, `2024-01-02 03:04:05.6 -07:00` and the like.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut rest = text;
        let year = digits(&mut rest, 4, 4)?;
        literal(&mut rest, "-")?;
        let month = digits(&mut rest, 1, 2)?;
        literal(&mut rest, "-")?;
        let day = digits(&mut rest, 1, 2)?;
        let time = if rest.is_empty() {
            None
        } else {
            Some(Time::parse(rest)?)
        };
        Some(Self {
            year,
            month,
            day,
            time,
        })
    }

    /// `datetime.date` or `datetime.datetime`; `Err` with Python's `ValueError` where the calendar has no such day.
    pub(super) fn object(self) -> Result<Object, &'static str> {
        let leap = self.year.is_multiple_of(4)
            && (!self.year.is_multiple_of(100) || self.year.is_multiple_of(400));
        let days = match self.month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        if self.year == 0 {
            return Err("year 0 is out of range");
        }
        if !(1..=12).contains(&self.month) {
            return Err("month must be in 1..12");
        }
        if !(1..=days).contains(&self.day) {
            return Err("day is out of range for month");
        }
        let date = format!("{:04}-{:02}-{:02}", self.year, self.month, self.day);
        match self.time {
            None => Ok(Object::Date(date)),
            Some(time) => Ok(Object::DateTime(format!("{date} {}", time.text()?))),
        }
    }
}

impl Time {
    fn parse(text: &str) -> Option<Self> {
        let mut rest = text
            .strip_prefix(['T', 't'])
            .unwrap_or_else(|| blanks(text));
        if rest.len() == text.len() {
            return None;
        }
        let hour = digits(&mut rest, 1, 2)?;
        literal(&mut rest, ":")?;
        let minute = digits(&mut rest, 2, 2)?;
        literal(&mut rest, ":")?;
        let second = digits(&mut rest, 2, 2)?;
        let mut microsecond = 0;
        if let Some(fraction) = rest.strip_prefix('.') {
            rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
            let kept = fraction.len() - rest.len();
            microsecond = fraction[..kept]
                .bytes()
                .chain(std::iter::repeat(b'0'))
                .take(6)
                .fold(0, |value, digit| value * 10 + u32::from(digit - b'0'));
        }
        let mut offset_minutes = None;
        let mut zone = blanks(rest);
        if zone == "Z" {
            offset_minutes = Some(0);
        } else if let Some(sign) = zone.chars().next() {
            let sign = match sign {
                '+' => 1,
                '-' => -1,
                _ => return None,
            };
            zone = &zone[1..];
            let hours = digits(&mut zone, 1, 2)?;
            let minutes = if zone.is_empty() {
                0
            } else {
                literal(&mut zone, ":")?;
                digits(&mut zone, 2, 2)?
            };
            if !zone.is_empty() {
                return None;
            }
            offset_minutes = Some(sign * i32::try_from(hours * 60 + minutes).ok()?);
        } else if !rest.is_empty() {
            return None;
        }
        Some(Self {
            hour,
            minute,
            second,
            microsecond,
            offset_minutes,
        })
    }

    fn text(self) -> Result<String, &'static str> {
        if self.hour > 23 {
            return Err("hour must be in 0..23");
        }
        if self.minute > 59 {
            return Err("minute must be in 0..59");
        }
        if self.second > 59 {
            return Err("second must be in 0..59");
        }
        let mut text = format!("{:02}:{:02}:{:02}", self.hour, self.minute, self.second);
        if self.microsecond != 0 {
            text += &format!(".{:06}", self.microsecond);
        }
        if let Some(offset) = self.offset_minutes {
            if offset.abs() >= 24 * 60 {
                return Err("offset must be a timedelta strictly between -24 and 24 hours");
            }
            let sign = if offset < 0 { '-' } else { '+' };
            text += &format!("{sign}{:02}:{:02}", offset.abs() / 60, offset.abs() % 60);
        }
        Ok(text)
    }
}

fn blanks(text: &str) -> &str {
    text.trim_start_matches([' ', '\t'])
}

fn literal(rest: &mut &str, text: &str) -> Option<()> {
    *rest = rest.strip_prefix(text)?;
    Some(())
}

/// Takes `least` to `most` ASCII digits.
fn digits(rest: &mut &str, least: usize, most: usize) -> Option<u32> {
    let count = rest
        .bytes()
        .take(most)
        .take_while(u8::is_ascii_digit)
        .count();
    if count < least {
        return None;
    }
    let (number, after) = rest.split_at_checked(count)?;
    *rest = after;
    number.parse().ok()
}
