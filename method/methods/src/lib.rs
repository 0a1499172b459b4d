//! Methods as state machines over completed steps.
