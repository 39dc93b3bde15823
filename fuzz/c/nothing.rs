// Empty: this package exists for the C sources of its dependencies, which cargo downloads. See
// Cargo.toml.
