//! Who may write what beside the targets: real files, links, pipes, programs and races.

mod backing;
mod meanwhile;
mod precious;
mod refusing;
mod replacing;
mod workshop;
