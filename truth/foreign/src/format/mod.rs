//! A reader for each tool's format. All make one [`ForeignResult`](crate::ForeignResult).

pub mod diskspd;
mod diskspd_echo;
pub mod diskspd_text;
pub mod diskspd_xml;
pub mod elbencho;
mod elbencho_csv;
mod elbencho_live;
mod elbencho_table;
pub mod fio;
pub mod fio_asked;
mod fio_disks;
pub mod fio_figures;
mod fio_header;
mod fio_json;
mod fio_node;
mod fio_old;
mod fio_pairs;
pub mod fio_shares;
pub mod fio_side;
pub mod fio_terse;
pub mod fio_text;
mod fio_text_job;
mod fio_text_words;
pub mod vdbench;
pub mod vdbench_flat;
pub mod vdbench_log;
pub mod vdbench_row;
