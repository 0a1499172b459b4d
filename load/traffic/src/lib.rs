//! Pure, seeded streams of addresses, arrivals and operations.
