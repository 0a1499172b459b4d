//! Inputs that nobody chose, drawn from seeds, and the real tools that say what is true of them.
//!
//! `PLIMSOLL_DRAWS=N` draws more, `PLIMSOLL_SEED=N` begins elsewhere, `PLIMSOLL_VDBENCH=FILE` names the real Vdbench; `make differential`
//! does all of it.

mod diskspd;
mod draw;
mod fio;
mod grammar;
mod honest;
mod known;
mod vdbench;
