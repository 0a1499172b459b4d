//! Steps on simulated arrays: that time, content and counters are what they should be.

mod arrays;
mod content;
mod ending;
mod filer;
mod looks;
mod paths;
mod repeating;
mod stage;
mod time;
