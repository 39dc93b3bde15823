// The sources are in C: see Cargo.toml.
