//! What other tools left, read and judged: published figures, true results of fio, and results in the layouts of the others.

mod corpus;
mod deformed;
mod page;
mod published;
mod reading;
mod table;
