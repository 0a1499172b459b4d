//! Sessions over sockets that are queues in memory, and the folders that they come from.

mod certificates;
mod folders;
mod talking;
mod trusting;
mod wire;
