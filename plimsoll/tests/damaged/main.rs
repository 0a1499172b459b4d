//! Records that are damaged, or were made to do harm: every command that reads one says what is wrong with it, in bounded
//! time and memory, and changes nothing.
//!
//! The first part reads hundreds of mutated records through the functions behind the commands; the second one gives the
//! worst of them to the program itself.

mod campaign;
mod corpus;
mod hostile;
mod meter;
mod mutate;
