//! The console and the report folder of `plimsoll vdbench`, as scripts read them.

mod console;
#[path = "../fixture/mod.rs"]
mod fixture;
mod folder;
mod numbers;
mod pages;
mod stage;
