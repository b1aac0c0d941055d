"""``triton.Config``: one choice of meta-parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["Config"]


class Config:
    """One choice of meta-parameters and options of a kernel.

    `kwargs`: values of constexpr parameters by name. The rest are options of a launch;
    `pre_hook` is called with the arguments before one. A plain record: equal where its fields are.
    """

    def __init__(
        self,
        kwargs: dict[str, Any],
        num_warps: int = 4,
        num_stages: int = 3,
        num_ctas: int = 1,
        maxnreg: int | None = None,
        pre_hook: Callable[..., Any] | None = None,
        ir_override: str | None = None,
    ) -> None:
        self.kwargs = kwargs
        self.num_warps = num_warps
        self.num_stages = num_stages
        self.num_ctas = num_ctas
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook
        self.ir_override = ir_override

    def _options(self) -> dict[str, Any]:
        names = ("num_warps", "num_ctas", "num_stages", "maxnreg", "ir_override")
        return {name: getattr(self, name) for name in names}

    def all_kwargs(self) -> dict[str, Any]:
        """The meta-parameters and those options that are not None, by name."""
        return self.kwargs | {k: v for k, v in self._options().items() if v is not None}

    def __str__(self) -> str:
        return ", ".join(f"{k}: {v}" for k, v in (self.kwargs | self._options()).items())

    def __repr__(self) -> str:
        return f"Config({self})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Config) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((*self.kwargs.items(), *self._options().values(), self.pre_hook))
