//! What everyone else saw: host, CPU, block stacks.
