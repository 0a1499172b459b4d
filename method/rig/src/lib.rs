//! Carries out steps: the engine with the witness, into a record.
