//! What bytes are written: generators, and the identity of a block.
