"""Path globs, which read like lines of a .gitignore."""

from collections.abc import Callable, Sequence

from kb.errors import UsageError


def path_matcher(globs: Sequence[str], option: str = "--path") -> Callable[[str], bool]:
    """Whether a path matches any of `globs`.

    ``*.md`` at any depth, ``docs/**/*.md`` from the KB's home. Globs with ``!`` in front take out,
    wherever they stand; alone they take out of everything.

    Raises:
        UsageError: a glob that cannot be read.
    """
    from pathspec import GitIgnoreSpec

    wanted = [glob for glob in globs if not glob.startswith("!")]
    try:
        taken = GitIgnoreSpec.from_lines(wanted or ["*"])
        left_out = GitIgnoreSpec.from_lines(_positive(glob) for glob in globs if glob not in wanted)
    except ValueError as error:
        raise UsageError(f"{option} {' '.join(globs)}: {error}") from error
    # Without negation among them, a path matches when one pattern does: ten times faster so.
    take, leave = _matchers(taken), _matchers(left_out)

    def matches(path: str) -> bool:
        bare = path.lstrip("/")
        return any(m(bare) for m in take) and not any(m(bare) for m in leave)

    return matches


def is_void(glob: str) -> bool:
    """Whether a glob is a comment or blank, and so matches nothing."""
    from pathspec import GitIgnoreSpec

    return not _matchers(GitIgnoreSpec.from_lines([glob]))


def _matchers(spec: object) -> list[Callable[[str], object]]:
    patterns = getattr(spec, "patterns", ())
    return [p.regex.match for p in patterns if p.include is not None and p.regex is not None]


def _positive(glob: str) -> str:
    if not glob[1:].strip():
        raise ValueError("there is nothing behind the '!'")
    return glob[1:]
