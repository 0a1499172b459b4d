//! What other tools left, read and judged: published figures, true results of fio, and results in the layouts of the others.

mod cases;
mod claims;
mod commands;
mod copied;
mod corpus;
mod coverage;
mod deformed;
mod drawn;
mod edited;
mod on_the_way;
mod outputs;
mod pasted;
mod posted;
mod published;
mod reading;
mod real;
mod reported;
mod reported_figures;
mod reported_forms;
mod said_claims;
mod table;
mod told;
