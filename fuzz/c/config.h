/* What TinyCC's script `configure` writes. */
#define TCC_VERSION "0.9.27"
