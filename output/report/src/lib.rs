//! A record shown: terminal, Vdbench's logs, HTML.
