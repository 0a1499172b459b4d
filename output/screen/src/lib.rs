//! A run that goes on, on a terminal's whole screen: [`draw`] makes a screen of what is known of it, [`follow`] draws again as it grows.

mod bars;
mod charts;
mod draw;
mod figures;
mod follow;
mod header;
mod panels;
mod text;
mod view;

pub use draw::draw;
pub use follow::{Left, follow, give_back};
pub use view::{Key, Panel, View};
