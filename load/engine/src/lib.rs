//! Issues the I/O: the worker loop, pacing, clocks and backends.
