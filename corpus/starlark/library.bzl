"""Rules for a small program."""

load("//tools:paths.bzl", "join", short = "basename")

_SUFFIXES = [".c", ".cc"]  # the order matters

def _sources(names, suffixes = _SUFFIXES, *more, **options):
    """The names with one of the suffixes.

    Args:
      names: a list of strings
    """
    found = []
    for name in names + list(more):
        if not name or name.startswith("_"):
            continue
        elif name in found: pass
        else:
            found += [name for s in suffixes if name.endswith(s)]

    # The rest is for options.
    return found if not options.get("sort", False) else sorted(
        found,
        key = lambda name: (len(name), name),
    )

def program(name, srcs, copts = None, **kwargs):
    native.cc_binary(
        name = name,
        srcs = _sources(srcs, sort = True),
        copts = ["-O%d" % level for level in range(1, 3)] + (copts or []),
        **kwargs
    )
