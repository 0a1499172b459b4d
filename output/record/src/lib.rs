//! One run is one SQLite file: open, append, compare, export.
