"""``triton.autotune``: of several choices of meta-parameters the fastest, measured when needed."""

from __future__ import annotations

import functools
import math
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch

from mytriton import testing
from mytriton.arguments import is_numpy
from mytriton.compiled import CompiledKernel
from mytriton.errors import CompileError
from mytriton.jit import constant_in_graphs
from mytriton.runtime import timings
from mytriton.runtime.config import Config
from mytriton.runtime.decorated import Decorated, Heuristics, heuristics
from mytriton.runtime.jit import KernelInterface
from mytriton.runtime.tuning import Hooks, Pruning, checked_configs, checked_names
from mytriton.shapes_only import is_shapes_only

__all__ = ["Autotuner", "Config", "Heuristics", "autotune", "heuristics"]

Args = tuple[Any, ...]
Named = dict[str, Any]


class Autotuner(Decorated):
    """A kernel that is launched with the fastest of its `configs`; made by :func:`autotune`.

    `cache`: the config chosen for each key; `best_config`: of the last launch; `configs_timings`:
    what was measured last, config -> median, 20% and 80% quantile in ms, infinite where a config
    does not compile; `bench_time`: the seconds that it took.
    """

    def __init__(
        self,
        fn: Any,
        configs: Iterable[Config],
        key: Iterable[str],
        prune_configs_by: Mapping[str, Any] | None = None,
        reset_to_zero: Iterable[str] | None = None,
        restore_value: Iterable[str] | None = None,
        pre_hook: Callable[..., Any] | None = None,
        post_hook: Callable[..., Any] | None = None,
        do_bench: Callable[..., Any] = testing.do_bench,
        cache_results: bool = False,
    ) -> None:
        super().__init__(fn)
        self.configs = checked_configs(configs)
        self.keys = checked_names("key", key)
        reset = checked_names("reset_to_zero", reset_to_zero)
        restore = checked_names("restore_value", restore_value)
        names = {"key": self.keys, "reset_to_zero": reset, "restore_value": restore}
        for i, config in enumerate(self.configs):
            names[f"configs[{i}]"] = list(config.kwargs)
        for what, each in names.items():
            self._check_parameters(what, each)
        self._configured = {name for config in self.configs for name in config.all_kwargs()}
        self._pruning = Pruning(prune_configs_by)
        self._hooks = Hooks(reset, restore, pre_hook, post_hook)
        self._do_bench = do_bench
        self._cache_results = cache_results
        self.cache: dict[Args, Config] = {}
        self.best_config: Config | None = None
        self.configs_timings: dict[Config, Any] = {}
        self.bench_time = 0.0
        self._tuning = threading.RLock()

    def _check_parameters(self, what: str, names: list[str]) -> None:
        for name in names:
            if name not in self.arg_names:
                expected = ", ".join(self.arg_names)
                raise ValueError(
                    f"autotune: {what} names '{name}', which is no parameter of {self.name}; the "
                    f"parameters are {expected}"
                )

    # --- launches --------------------------------------------------------------------------------

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> Any:
        """A launch; with `warmup` a list of the compiled kernels of all configs."""
        named = self._named(args, kwargs)
        self._check_conflicts(named)
        if warmup:
            configs = self._pruning.kept(self.name, self.configs, named, kwargs)
            return [self._compile(each, grid, args, kwargs) for each in configs]
        if is_shapes_only():
            return None
        if torch.compiler.is_dynamo_compiling():
            return self._launch(self._config_in_graph(named), grid, args, kwargs)
        self.best_config = config = self._config(grid, args, kwargs)
        return self._launch(config, grid, args, kwargs)

    def _launch(self, config: Config, grid: Any, args: Args, kwargs: Named) -> Any:
        given = config.all_kwargs()
        if config.pre_hook is not None:
            config.pre_hook(self._named(args, kwargs) | given)
        return self.fn[grid](*args, **kwargs, **given)

    def _compile(self, config: Config, grid: Any, args: Args, kwargs: Named) -> Any:
        return self.fn.warmup(*args, grid=grid, **kwargs, **config.all_kwargs())

    def _supplied(self, args: Args, kwargs: Named) -> Named:
        """With the config that was chosen for these arguments, or the first one."""
        named = self._named(args, kwargs)
        self._check_conflicts(named)
        return kwargs | self.cache.get(self._key(named), self.configs[0]).all_kwargs()

    def _check_conflicts(self, named: Named) -> None:
        for name in named:
            if name in self._configured:
                raise ValueError(
                    f"{self.name}: argument '{name}' is given, and by the configs of autotune too"
                )

    # --- which config ----------------------------------------------------------------------------

    def _key(self, named: Named) -> Args:
        """The values of the arguments in `key`, and the dtypes of all tensors."""
        everything = self._defaults | named
        values = [everything[name] for name in self.keys if name in everything]
        tensors = [each for each in named.values() if isinstance(each, torch.Tensor)]
        return (*values, *[str(each.dtype) for each in tensors])

    def _config(self, grid: Any, args: Args, kwargs: Named) -> Config:
        named = self._named(args, kwargs)
        # With arrays a launch only compiles: there is nothing to measure.
        if len(self.configs) == 1 or any(is_numpy(each) for each in named.values()):
            return self.configs[0]
        for name in self.keys:
            if isinstance(named.get(name), torch.Tensor | list | dict | set):
                kind = type(named[name]).__name__
                raise TypeError(
                    f"{self.name}: argument '{name}', of the key of autotune: expected a value "
                    f"that is compared, such as an int, got {kind}"
                )
        key = self._key(named)
        if key not in self.cache:
            with self._tuning:  # others would disturb it
                if key not in self.cache:
                    self.cache[key] = self._tune(key, grid, args, kwargs)
        return self.cache[key]

    def _config_in_graph(self, named: Named) -> Config:
        if len(self.configs) == 1:
            return self.configs[0]
        key = self._key(named)
        chosen: tuple[tuple[int, Args], ...] = self._chosen()
        for index, known in chosen:
            if known == key:  # which guards the graph by it, where numbers in it are symbolic
                return self.configs[index]
        self._refuse_in_graph()
        return self.configs[0]

    @constant_in_graphs
    def _chosen(self) -> tuple[tuple[int, Args], ...]:
        return tuple((self.configs.index(each), key) for key, each in self.cache.items())

    @constant_in_graphs
    def _refuse_in_graph(self) -> None:
        known = ", ".join(map(str, self.cache)) or "none"
        raise RuntimeError(
            f"{self.name}: torch.compile cannot measure the configs of autotune; launch the kernel "
            f"outside once, with arguments of the same key; known keys are {known}"
        )

    # --- measuring -------------------------------------------------------------------------------

    def _tune(self, key: Args, grid: Any, args: Args, kwargs: Named) -> Config:
        named = self._named(args, kwargs)
        configs = self._pruning.kept(self.name, self.configs, named, kwargs)
        if len(configs) == 1:
            return configs[0]
        start = time.perf_counter()
        kernels = self._compile_all(configs, grid, args, kwargs)
        file = None
        if self._cache_results:
            file = timings.file_of([getattr(k, "op_name", None) for k in kernels], configs, key)
        found = timings.load(file, configs) if file else None
        if found is None:
            found = {
                config: self._bench(config, grid, args, kwargs) if kernel else [math.inf] * 3
                for config, kernel in zip(configs, kernels, strict=True)
            }
            if file:
                timings.save(file, found)
        best = min(found, key=lambda config: _median(found[config]))
        self._hooks.before(named | best.all_kwargs(), reset_only=True)
        self.configs_timings = found
        self.bench_time = time.perf_counter() - start
        return best

    def _compile_all(
        self, configs: list[Config], grid: Any, args: Args, kwargs: Named
    ) -> list[Any]:
        """The compiled kernels, None where one cannot be; the first error where none can."""
        kernels: list[Any] = []
        errors: list[Exception] = []
        on_cuda = any(getattr(each, "is_cuda", False) for each in (*args, *kwargs.values()))
        for config in configs:
            try:
                kernel = self._compile(config, grid, args, kwargs)
            except CompileError as error:
                kernel = None
                errors.append(error)
            if on_cuda and isinstance(kernel, CompiledKernel):
                try:
                    _ = kernel.cuda_src
                except (CompileError, ValueError) as error:  # blocks that a program has no room for
                    kernel = None
                    errors.append(error)
            kernels.append(kernel)
        if len(errors) == len(configs):
            raise errors[0]
        return kernels

    def _bench(self, config: Config, grid: Any, args: Args, kwargs: Named) -> Any:
        named = self._named(args, kwargs) | config.all_kwargs()

        def call() -> None:
            self._hooks.before(named)
            try:
                self._launch(config, grid, args, kwargs)
            except Exception as error:
                self._hooks.after(named, exception=error)
                raise
            self._hooks.after(named, exception=None)

        return self._do_bench(call, quantiles=(0.5, 0.2, 0.8))

    def __repr__(self) -> str:
        return f"<mytriton.autotune of {len(self.configs)} configs of {self.fn!r}>"


def _median(measured: Any) -> float:
    return float(measured[0] if isinstance(measured, Sequence) else measured)


def autotune(
    configs: Iterable[Config],
    key: Iterable[str],
    prune_configs_by: Mapping[str, Any] | None = None,
    reset_to_zero: Iterable[str] | None = None,
    restore_value: Iterable[str] | None = None,
    pre_hook: Callable[..., Any] | None = None,
    post_hook: Callable[..., Any] | None = None,
    warmup: float = 25,
    rep: float = 100,
    use_cuda_graph: bool = False,
    do_bench: Callable[..., Any] | None = None,
    cache_results: bool = False,
) -> Callable[[Any], Autotuner]:
    """Decorates a kernel: the first launch for a key runs it with each config, and that launch and
    later ones take the fastest::

        @triton.autotune([triton.Config({"BLOCK": b}) for b in (256, 1024)], key=["n"])
        @triton.jit
        def kernel(x, n, BLOCK: tl.constexpr): ...

        kernel[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, n)

    A key is the values of the arguments named in `key` and the dtypes of all tensors. A config that
    does not compile is left out; where none compiles, the first error is raised. Measuring runs the
    kernel many times: tensors that it does more to than overwrite belong in one of

    * `reset_to_zero`: names of tensors that are zeroed before each run that is measured, and before
      the launch that follows;
    * `restore_value`: names of tensors that are restored after each run that is measured.

    `prune_configs_by`: a dict with ``early_config_prune(configs, named_args, **kwargs)``, which
    returns the configs to keep, or ``perf_model(**args)``, which returns an expected time, and
    ``top_k``, how many of the fastest to keep: a number, or as a float a share of all.
    `pre_hook(args, reset_only=False)` and `post_hook(args, exception)` run before and after each
    run that is measured, in place of what `reset_to_zero` and `restore_value` do; the former once
    more, with ``reset_only=True``, before the launch that follows. `args` is a dict by name.
    `warmup` and `rep`, in ms, go to ``testing.do_bench``; or `do_bench(fn, quantiles=...)` gives
    the time. `cache_results` keeps what was measured in files, in the folder of ``mytriton.cache``.
    `use_cuda_graph` is accepted, and changes nothing.

    Raises ValueError for names that are no parameters, and at a launch for an argument that configs
    give too. torch.compile takes keys that were measured before it, and RuntimeError names others.
    """
    bench = do_bench or functools.partial(testing.do_bench, warmup=warmup, rep=rep)
    hooks = (reset_to_zero, restore_value, pre_hook, post_hook)

    def decorate(fn: Any) -> Autotuner:
        if not isinstance(fn, KernelInterface):
            raise TypeError(f"autotune: expected a kernel, got {type(fn).__name__}")
        return Autotuner(fn, configs, key, prune_configs_by, *hooks, bench, cache_results)

    return decorate
