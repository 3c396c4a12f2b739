//! Stub until the reader lands.
use super::{Document, ReadError};
/// Reads.
pub fn read(_text: &str) -> Result<Document, ReadError> {
    Err(ReadError {
        exception: "ScannerError",
        message: String::new(),
        span: None,
    })
}
