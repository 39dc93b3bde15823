/* Stands in for the file that TinyCC's script `configure` writes. */
#define TCC_VERSION "0.9.27"
