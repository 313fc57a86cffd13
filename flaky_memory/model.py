"""The named tuples that travel between the modules.

The hooks start for every test command, and importing `typing` would cost them a quarter of a
bare interpreter's start. So `NamedTuple` comes from `typing` for the type checker and from
`collections` at run time.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import FrozenSet, NamedTuple, Optional, Tuple
else:
    from collections import namedtuple

    class _NamedTupleMeta(type):
        """Turns an annotated class body into a named tuple, as typing.NamedTuple does."""

        def __new__(mcs, name, bases, body):
            if not bases:
                return super().__new__(mcs, name, bases, body)
            fields = list(body.get("__annotations__", ()))
            made = namedtuple(name, fields, defaults=[body[f] for f in fields if f in body])
            for key, value in body.items():
                if key not in fields and key not in ("__annotations__", "__qualname__"):
                    setattr(made, key, value)
            return made

    class NamedTuple(metaclass=_NamedTupleMeta):
        pass


PASSED, FAILED, NONE = "passed", "failed", "none"


class TestId(NamedTuple):
    """What makes two tests two: the id prefix, what tells two tests of one name apart, the name."""

    runner: str
    scope: Optional[str]
    name: str


class Result(NamedTuple):
    """How many runs of one test an output shows failing and passing."""

    name: str
    scope: Optional[str]
    failed: int
    passed: int


class Report(NamedTuple):
    """What one runner says in one output.

    `summary` is the runner's own word on its whole run: PASSED, FAILED, or NONE where it says
    none or ran nothing. `idle` is true when it says that nothing ran (no tests, nothing
    collected, everything cached). `unrun` names scopes whose tests it did not run although it
    reports them as fine (cached, up to date).
    """

    runner: str
    summary: str
    results: Tuple[Result, ...]
    idle: bool = False
    unrun: FrozenSet[str] = frozenset()
