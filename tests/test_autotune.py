"""mytriton.autotune: which config is taken, when it is measured, and what tensors hold after it."""

import copy
import pickle
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch._dynamo.exc import TorchDynamoException

import mytriton
import mytriton.language as tl

Config = mytriton.Config
BLOCKS = [Config({"BLOCK": block}) for block in (16, 64, 32)]


class Bench:
    """Stands in for a clock: a config takes as many ms as `times` says of its BLOCK."""

    def __init__(self, times: dict[int, Any] | None = None) -> None:
        self.times = times or {16: 3.0, 32: 1.0, 64: 2.0}
        self.measured: list[int] = []
        self.block = 0

    def __call__(self, fn: Callable[[], Any], quantiles: Any) -> Any:
        assert quantiles == (0.5, 0.2, 0.8)
        fn()
        fn()
        self.measured.append(self.block)
        return self.times[self.block]


def tuned(bench: Bench, configs: list[Config] | None = None, **options: Any) -> Any:
    """A kernel that adds 1 to the first n elements; its programs cover n by any config."""

    @mytriton.autotune(configs or BLOCKS, options.pop("key", ["n"]), do_bench=bench, **options)
    @mytriton.jit
    def add_one(x, n, value=1.0, *, BLOCK: tl.constexpr, FACTOR: tl.constexpr = 1):
        tl.static_assert(BLOCK < 1000, "a large block")
        lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(x + lane, tl.load(x + lane, mask=lane < n) + value * FACTOR, mask=lane < n)

    def grid(meta: dict[str, Any]) -> tuple[int]:
        bench.block = meta["BLOCK"]
        return (mytriton.cdiv(meta["n"], meta["BLOCK"]),)

    return add_one, grid


def added(kernel: Any, grid: Any, n: int, *args: Any, **kwargs: Any) -> torch.Tensor:
    x = torch.zeros(100, dtype=kwargs.pop("dtype", torch.float32))
    kernel[grid](x, n, *args, **kwargs)
    assert not x[n:].any() and (x[:n] == x[0]).all()
    return x[0].item()


# --- which config --------------------------------------------------------------------------------


def test_the_fastest_is_taken_once_a_key() -> None:
    bench = Bench()
    kernel, grid = tuned(bench, restore_value=["x"])
    assert kernel.best_config is None and kernel.cache == {}
    for n, measured in ((70, 3), (70, 3), (90, 6), (70, 6)):
        assert added(kernel, grid, n) == 1
        assert len(bench.measured) == measured
        assert kernel.best_config is BLOCKS[2]
        assert bench.block == 32
    assert bench.measured[:3] == [16, 64, 32]
    assert kernel.cache == {(n, "torch.float32"): BLOCKS[2] for n in (70, 90)}
    assert kernel.configs_timings == dict(zip(BLOCKS, (3.0, 2.0, 1.0), strict=True))
    assert kernel.bench_time > 0


def test_a_key_holds_values_and_dtypes() -> None:
    bench = Bench()
    kernel, grid = tuned(bench, restore_value=["x"], key=["n", "value"])
    for args, kwargs in (((7,), {}), ((7, 1.0), {}), ((7,), {"value": 1.0})):
        assert added(kernel, grid, *args, **kwargs) == 1
    added(kernel, grid, 7, dtype=torch.float64)
    added(kernel, grid, 7, 2.0)
    assert list(kernel.cache) == [
        (7, 1.0, "torch.float32"),
        (7, 1.0, "torch.float64"),
        (7, 2.0, "torch.float32"),
    ]
    assert len(bench.measured) == 9
    kernel, grid = tuned(bench, restore_value=["x"], key=[])
    for n in (5, 9):
        added(kernel, grid, n)
    assert len(bench.measured) == 12


def test_quantiles_are_ranked_by_the_median() -> None:
    bench = Bench({16: [3.0, 0.1, 4.0], 32: [2.0, 1.9, 9.0], 64: (5.0, 4.0, 6.0)})
    kernel, grid = tuned(bench, restore_value=["x"])
    added(kernel, grid, 70)
    assert kernel.best_config is BLOCKS[2]


def test_one_config_needs_no_measuring() -> None:
    for configs in (BLOCKS[:1], []):
        bench = Bench()
        kernel, grid = tuned(bench, configs or [Config({"BLOCK": 16})])
        assert added(kernel, grid, 70) == 1
        assert kernel.best_config == BLOCKS[0] and bench.measured == [] and kernel.cache == {}
    plain = mytriton.autotune([], key=[])(kernel.fn)
    assert added(plain, 1, 10, BLOCK=16) == 1
    assert plain.best_config == Config({})


def test_measured_by_the_clock() -> None:
    @mytriton.autotune(
        [Config({"STEPS": steps}, num_warps=2) for steps in (400, 1)], ["n"], warmup=1, rep=5
    )
    @mytriton.jit
    def kernel(x, n, STEPS: tl.constexpr):
        lane = tl.program_id(0) * 1024 + tl.arange(0, 1024)
        value = tl.load(x + lane, mask=lane < n)
        for _ in range(STEPS):
            value = tl.sin(value)
        tl.store(x + lane, value * 0.0, mask=lane < n)

    x = torch.rand(2**14)
    compiled = kernel[16](x, x.numel())
    assert isinstance(compiled, mytriton.CompiledKernel)
    assert kernel.best_config is kernel.configs[1]
    slow, fast = kernel.configs_timings.values()
    assert slow[0] > fast[0] > 0 and len(fast) == 3


def test_values_and_options_of_a_config_reach_the_launch() -> None:
    seen = []
    configs = [Config({"BLOCK": 64, "FACTOR": 5}, num_warps=8, pre_hook=seen.append)]
    kernel, grid = tuned(Bench(), configs)
    assert added(kernel, grid, 70, value=2.0) == 10
    given = ["x", "n", "value", "BLOCK", "FACTOR", "num_warps", "num_ctas", "num_stages"]
    assert list(seen[0]) == given


# --- pruning and failures ------------------------------------------------------------------------


def test_pruning() -> None:
    def early(configs: list[Config], named: dict[str, Any], **kwargs: Any) -> list[Config]:
        assert named["n"] == 70 and kwargs == {"value": 2.0}
        return [each for each in configs if each.kwargs["BLOCK"] != 32]

    def model(BLOCK: int, n: int, value: float, num_warps: int, **rest: Any) -> float:
        assert (n, value, num_warps) == (70, 2.0, 4) and "x" in rest
        return -BLOCK

    cases: list[tuple[dict[str, Any], list[int]]] = [
        ({"early_config_prune": early}, [16, 64]),
        ({"perf_model": model}, [16, 64, 32]),
        ({"perf_model": model, "top_k": 2}, [64, 32]),
        ({"perf_model": model, "top_k": 0.7}, [64, 32]),
        ({"perf_model": model, "top_k": 1}, []),
        ({"perf_model": model, "top_k": 0.1}, []),
        ({"perf_model": model, "top_k": 1, "early_config_prune": early}, []),
    ]
    for by, measured in cases:
        bench = Bench()
        kernel, grid = tuned(bench, restore_value=["x"], prune_configs_by=by)
        assert added(kernel, grid, 70, value=2.0) == 2
        assert bench.measured == measured
        assert bench.block == (min(measured, key=bench.times.__getitem__) if measured else 64)
    kernel, grid = tuned(Bench(), prune_configs_by={"early_config_prune": lambda *_, **__: []})
    with pytest.raises(ValueError, match="add_one: early_config_prune has left no config"):
        added(kernel, grid, 70)


def test_configs_that_do_not_compile_are_left_out() -> None:
    bench = Bench()
    large = [Config({"BLOCK": block}) for block in (1024, 2048)]
    kernel, grid = tuned(bench, [large[0], *BLOCKS], restore_value=["x"])
    assert added(kernel, grid, 70) == 1
    assert bench.measured == [16, 64, 32]
    assert kernel.configs_timings[large[0]] == [float("inf")] * 3
    kernel, grid = tuned(bench, large)
    x = torch.zeros(100)
    with pytest.raises(mytriton.CompileError, match="a large block"):
        kernel[grid](x, 70)
    assert not x.any() and kernel.cache == {}


def test_an_error_while_measuring_is_the_launchs() -> None:
    calls: list[Any] = []
    kernel, _ = tuned(Bench(), post_hook=lambda args, exception: calls.append(exception))
    with pytest.raises(ValueError, match="grid axis 0"):
        kernel[-1](torch.zeros(100), 70)
    assert [type(each) for each in calls] == [ValueError]
    assert kernel.cache == {} and kernel.best_config is None


# --- tensors and hooks ---------------------------------------------------------------------------


def test_reset_to_zero() -> None:
    kernel, grid = tuned(Bench(), reset_to_zero=["x"])
    x = torch.ones(100)
    kernel[grid](x, 70)
    assert x.tolist() == [1.0] * 70 + [0.0] * 30  # zeroed as a whole before the launch
    kernel[grid](x, 70)
    assert x.tolist() == [2.0] * 70 + [0.0] * 30  # not by one that measures nothing


def test_restore_value() -> None:
    kernel, grid = tuned(Bench(), restore_value=["x"])
    x = torch.arange(100.0)
    kernel[grid](n=70, x=x)
    assert torch.equal(x[:70], torch.arange(70.0) + 1)
    assert torch.equal(x[70:], torch.arange(70.0, 100.0))


def test_what_is_restored_may_be_a_view_or_none() -> None:
    @mytriton.autotune(
        BLOCKS,
        [],
        restore_value=["x", "y"],
        reset_to_zero=["y"],
        do_bench=lambda fn, quantiles: fn() or 1,
    )
    @mytriton.jit
    def kernel(x, y, BLOCK: tl.constexpr):
        tl.store(x, tl.load(x) + (0.0 if y is None else tl.load(y)) + 1)

    x = torch.zeros(4, 4)
    kernel[1](x[:, 1], None)
    kernel[1](x.t()[2], torch.full((1,), 9.0))
    assert x[0].tolist() == [0.0, 1.0, 1.0, 0.0]


def test_only_tensors_are_restored() -> None:
    kernel, grid = tuned(Bench(), restore_value=["n"])
    with pytest.raises(TypeError, match="restore_value: argument 'n': expected a tensor, got int"):
        added(kernel, grid, 70)


def test_hooks() -> None:
    calls: list[Any] = []
    kernel, grid = tuned(
        Bench(),
        BLOCKS[:2],
        reset_to_zero=["x"],  # which the hook replaces
        pre_hook=lambda args, reset_only=False: calls.append((args["BLOCK"], reset_only)),
        post_hook=lambda args, exception: calls.append((sorted(args)[:2], exception)),
    )
    assert added(kernel, grid, 70) == 5
    after = (["BLOCK", "n"], None)
    assert calls == [(16, False), after] * 2 + [(64, False), after] * 2 + [(64, True)]


def test_hooks_of_a_config_run_at_every_launch() -> None:
    seen: list[int] = []
    configs = [
        Config({"BLOCK": b}, pre_hook=lambda args: seen.append(args["BLOCK"])) for b in (16, 32)
    ]
    kernel, grid = tuned(Bench(), configs)
    added(kernel, grid, 70)
    added(kernel, grid, 70)
    assert seen == [16, 16, 32, 32, 32, 32]


def test_threads_measure_one_after_the_other() -> None:
    bench = Bench()
    kernel, grid = tuned(bench, restore_value=["x"])
    threads = [threading.Thread(target=kernel[grid], args=(torch.zeros(100), 70)) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert bench.measured == [16, 64, 32]


# --- with other decorators, compile, NumPy -------------------------------------------------------

DOUBLE = mytriton.heuristics({"FACTOR": lambda args: 2 * args["BLOCK"] if "BLOCK" in args else 7})


def test_heuristics_below_see_the_config() -> None:
    bench = Bench()
    kernel, grid = tuned(bench, restore_value=["x"])
    kernel = mytriton.autotune(BLOCKS, ["n"], restore_value=["x"], do_bench=bench)(
        DOUBLE(kernel.fn)
    )
    assert added(kernel, grid, 70) == 64
    assert bench.measured == [16, 64, 32]


def test_heuristics_above_do_not() -> None:
    bench = Bench()
    kernel, grid = tuned(bench, restore_value=["x"])
    assert added(DOUBLE(kernel), grid, 70) == 7
    assert bench.measured == [16, 64, 32] and kernel.best_config is BLOCKS[2]


def test_warmup_and_compile() -> None:
    bench = Bench()
    kernel, grid = tuned(bench, restore_value=["x"])
    x = torch.zeros(100)
    for warm in (kernel.warmup(x, 70, grid=grid), kernel.run("*fp32", 70, grid=grid, warmup=True)):
        widths = [
            f"vector<{each.kwargs['BLOCK']} x" in made.asm["ssa"]
            for each, made in zip(BLOCKS, warm, strict=True)
        ]
        assert widths == [True] * 3
    assert "vector<16 x" in kernel.compile(x, 70).asm["ssa"]
    compiled = kernel[grid](x, 70)
    assert kernel.compile(x, 70) is compiled and "vector<32 x" in kernel.explain(x, 70)
    assert len(bench.measured) == 3


def test_with_arrays_nothing_is_measured() -> None:
    bench = Bench()
    kernel, grid = tuned(bench)
    compiled = kernel[grid](np.zeros(100, dtype=np.float32), 70)
    assert "vector<16 x" in compiled.asm["ssa"] and bench.measured == [] and kernel.cache == {}


@mytriton.autotune(BLOCKS, key=["n"])
@mytriton.jit
def width_kernel(x, n, value, BLOCK: tl.constexpr):
    """Tells which config it has."""
    lane = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + lane, value + BLOCK, mask=lane < n)


def width(x: torch.Tensor) -> torch.Tensor:
    out = torch.zeros_like(x)
    width_kernel[lambda meta: (mytriton.cdiv(meta["n"], meta["BLOCK"]),)](out, x.shape[0], 3.0)
    return out + x


def test_it_is_a_kernel_like_others() -> None:
    assert isinstance(width_kernel, mytriton.KernelInterface)
    assert isinstance(width_kernel, mytriton.runtime.Autotuner)
    assert (width_kernel.__name__, width_kernel.__doc__) == (
        "width_kernel",
        "Tells which config it has.",
    )
    assert width_kernel.arg_names == width_kernel.fn.arg_names == ["x", "n", "value", "BLOCK"]
    assert pickle.loads(pickle.dumps(width_kernel)) is width_kernel
    assert copy.deepcopy(width_kernel) is width_kernel
    assert (
        repr(width_kernel)
        == "<mytriton.autotune of 3 configs of <mytriton.jit kernel width_kernel>>"
    )
    with pytest.raises(RuntimeError, match="needs a grid"):
        width_kernel(torch.zeros(1), 1, 1.0)


def test_torch_compile_takes_what_was_measured_before() -> None:
    compiled = torch.compile(width, fullgraph=True, backend="eager")
    width_kernel.cache = {(50, "torch.float32"): BLOCKS[1], (60, "torch.float32"): BLOCKS[2]}
    for n, block in ((50, 64), (60, 32), (50, 64)):
        x = torch.arange(float(n))
        assert torch.equal(compiled(x), x + block + 3)
    with pytest.raises(TorchDynamoException) as caught:
        compiled(torch.zeros(70))
    assert "width_kernel: torch.compile cannot measure the configs of autotune" in str(caught.value)
    assert "known keys are (50, 'torch.float32'), (60, 'torch.float32')" in str(caught.value)


def test_torch_compile_with_one_config() -> None:
    kernel, _ = tuned(Bench(), BLOCKS[:1])

    def run(x: torch.Tensor) -> torch.Tensor:
        y = x.clone()
        kernel[lambda meta: (mytriton.cdiv(meta["n"], meta["BLOCK"]),)](y, x.shape[0])
        return y

    x = torch.arange(50.0)
    assert torch.equal(torch.compile(run, fullgraph=True, backend="eager")(x), x + 1)


# --- what is kept in files -----------------------------------------------------------------------


def test_results_in_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MYTRITON_CACHE_DIR", str(tmp_path / "made"))
    options: dict[str, Any] = {"restore_value": ["x"], "cache_results": True}
    configs = [Config({"BLOCK": 1024}), *BLOCKS]
    for i, n in enumerate((70, 70, 80)):
        bench = Bench()
        kernel, grid = tuned(bench, configs, **options)
        assert added(kernel, grid, n) == 1
        assert len(bench.measured) == (0 if i == 1 else 3)
        assert kernel.best_config == BLOCKS[2]
        assert kernel.configs_timings[configs[0]] == [float("inf")] * 3
    files = list((tmp_path / "made").glob("autotune_*"))
    assert len(files) == 2
    for file in files:
        file.write_text(file.read_text()[:9])  # a broken file is as good as none
    bench = Bench()
    kernel, grid = tuned(bench, configs, **options)
    added(kernel, grid, 70)
    assert len(bench.measured) == 3
    hooked = [Config({"BLOCK": b}, pre_hook=lambda args: None) for b in (16, 32)]
    kernel, grid = tuned(bench, hooked, **options)
    added(kernel, grid, 70)
    assert len(list((tmp_path / "made").glob("autotune_*"))) == 2


# --- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"key": ["m"]}, ValueError, "key names 'm', which is no parameter of add_one; .* x, n, v"),
        ({"key": "n"}, TypeError, "key: expected a list of names, got 'n'"),
        ({"restore_value": ["y"]}, ValueError, "restore_value names 'y'"),
        ({"reset_to_zero": ["y"]}, ValueError, "reset_to_zero names 'y'"),
        ({"reset_to_zero": "x"}, TypeError, "reset_to_zero: expected a list of names, got 'x'"),
        (
            {"configs": [*BLOCKS, Config({"BLOK": 3})]},
            ValueError,
            r"configs\[3\] names 'BLOK', which is no parameter",
        ),
        (
            {"configs": [{"BLOCK": 3}]},
            TypeError,
            r"configs\[0\]: expected a mytriton.Config, got d",
        ),
        (
            {"prune_configs_by": {"top": 3}},
            ValueError,
            "expected early_config_prune, .*; got 'top'",
        ),
        ({"prune_configs_by": {"top_k": 2.0}}, ValueError, "top_k: expected a count, .* got 2.0"),
        ({"prune_configs_by": {"top_k": "2"}}, ValueError, "top_k: expected a count, .* got '2'"),
        (
            {"prune_configs_by": {"perf_model": 2}},
            TypeError,
            "perf_model: expected a function, got i",
        ),
        ({"pre_hook": 2}, TypeError, "pre_hook: expected a function, got int"),
    ],
)
def test_wrong_decorators(options: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=f"^autotune: (prune_configs_by: )?{message}"):
        tuned(Bench(), **options)


def test_only_kernels_are_tuned() -> None:
    with pytest.raises(TypeError, match="autotune: expected a kernel, got function"):
        mytriton.autotune(BLOCKS, [])(lambda x: None)


@pytest.mark.parametrize("configs", [BLOCKS, BLOCKS[:1]], ids=["measured", "one"])
def test_arguments_that_configs_give_too(configs: list[Config]) -> None:
    kernel, grid = tuned(Bench(), configs)
    x = torch.zeros(100)
    for extra in ({"BLOCK": 16}, {"num_warps": 4}):
        (name,) = extra
        message = f"add_one: argument '{name}' is given, and by the configs of autotune too"
        for launch in (kernel[grid], kernel.compile):
            with pytest.raises(ValueError, match=message):
                launch(x, 70, **extra)
    assert not x.any()


def test_keys_that_cannot_be_compared() -> None:
    kernel, grid = tuned(Bench(), key=["x"])
    with pytest.raises(TypeError, match=r"argument 'x', of the key .* such as an int, got Tensor"):
        added(kernel, grid, 70)
