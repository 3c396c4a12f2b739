//! Fix: the fixes of findings → new texts.
