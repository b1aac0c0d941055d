"""What ``triton.autotune`` is told beside its configs: what to leave out, and what keeps tensors as
they are while kernels run to be measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch

from mytriton.runtime.config import Config


def checked_configs(configs: Iterable[Config]) -> list[Config]:
    checked = list(configs)
    for i, each in enumerate(checked):
        if not isinstance(each, Config):
            kind = type(each).__name__
            raise TypeError(f"autotune: configs[{i}]: expected a mytriton.Config, got {kind}")
    return checked or [Config({})]


def checked_names(what: str, names: Iterable[str] | None) -> list[str]:
    checked = list(names or ())
    if isinstance(names, str) or not all(isinstance(each, str) for each in checked):
        raise TypeError(f"autotune: {what}: expected a list of names, got {names!r}")
    return checked


def _check_function(what: str, value: Any) -> None:
    if value is not None and not callable(value):
        raise TypeError(f"autotune: {what}: expected a function, got {type(value).__name__}")


class Pruning:
    """``prune_configs_by``: which configs are worth measuring."""

    def __init__(self, given: Mapping[str, Any] | None) -> None:
        rest = dict(given or {})
        self._early = rest.pop("early_config_prune", None)
        self._model = rest.pop("perf_model", None)
        self._top = rest.pop("top_k", 1.0)
        for name in rest:
            raise ValueError(
                "autotune: prune_configs_by: expected early_config_prune, perf_model and top_k; "
                f"got '{name}'"
            )
        _check_function("early_config_prune", self._early)
        _check_function("perf_model", self._model)
        top = self._top
        if not (top > 0 if type(top) is int else type(top) is float and 0 < top <= 1):
            raise ValueError(
                f"autotune: top_k: expected a count, or a share of at most 1.0; got {top!r}"
            )

    def kept(
        self, kernel: str, configs: list[Config], named: dict[str, Any], kwargs: dict[str, Any]
    ) -> list[Config]:
        """Those of `configs` that remain for a launch with these arguments."""
        count = self._top if isinstance(self._top, int) else int(len(configs) * self._top)
        if self._early is not None:
            configs = list(self._early(configs, named, **kwargs))
            if not configs:
                raise ValueError(f"{kernel}: early_config_prune has left no config")
        if self._model is None or len(configs) <= count:
            return configs
        expected = [self._model(**(named | each.all_kwargs())) for each in configs]
        fastest = sorted(range(len(configs)), key=expected.__getitem__)
        return [configs[i] for i in fastest[: max(1, count)]]


class Hooks:
    """What happens before and after each run that is measured: the user's functions, else what
    `reset_to_zero` and `restore_value` say."""

    def __init__(
        self,
        reset_to_zero: list[str],
        restore_value: list[str],
        pre_hook: Callable[..., Any] | None,
        post_hook: Callable[..., Any] | None,
    ) -> None:
        _check_function("pre_hook", pre_hook)
        _check_function("post_hook", post_hook)
        self._reset_to_zero = reset_to_zero
        self._restore_value = restore_value
        self.before = pre_hook or self._prepare
        self.after = post_hook or self._restore
        self._saved: dict[str, torch.Tensor] = {}

    def _prepare(self, named: dict[str, Any], reset_only: bool = False) -> None:
        for _, value in _tensors("reset_to_zero", self._reset_to_zero, named):
            value.zero_()
        if not reset_only:
            saved = _tensors("restore_value", self._restore_value, named)
            self._saved = {name: value.clone() for name, value in saved}

    def _restore(self, named: dict[str, Any], exception: Exception | None) -> None:
        for name, value in self._saved.items():
            named[name].detach().copy_(value)
        self._saved = {}


def _tensors(
    what: str, names: list[str], named: dict[str, Any]
) -> Iterable[tuple[str, torch.Tensor]]:
    for name in names:
        value = named.get(name)
        if isinstance(value, torch.Tensor):
            yield name, value.detach()
        elif value is not None:
            kind = type(value).__name__
            raise TypeError(f"autotune: {what}: argument '{name}': expected a tensor, got {kind}")
