//! Who divides a plan among hosts, orders their steps, and puts together what comes back.

mod attach;
mod back;
pub mod course;
mod crew;
pub mod fit;
mod follow;
mod outcome;
mod parts;
mod ready;
pub mod team;
mod there;

pub use attach::late;
pub use crew::{Crew, CrewOptions};
pub use team::OnLost;
pub use there::{FoundAgent, who_is_there};
