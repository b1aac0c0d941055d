"""testing.perf_report: tables, CSV files, plots, and what is said where a package is missing."""

import sys
import types
from pathlib import Path
from typing import Any

import pytest

from mytriton.testing import Benchmark, perf_report


def benchmark(**changes: Any) -> Benchmark:
    given: dict[str, Any] = {
        "x_names": ["m", "n"],
        "x_vals": [2, (4, 8)],
        "line_arg": "provider",
        "line_vals": ["a", "b"],
        "line_names": ["Ours", "Theirs"],
        "plot_name": "sums",
        "args": {"offset": 100},
    }
    return Benchmark(**(given | changes))


def total(m: int, n: int, provider: str, offset: int, scale: float = 1.0) -> Any:
    value = (m + n + offset + (provider == "b")) * scale
    return value if provider == "a" else (value, value - 1, value + 1)


def absent(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    for name in names:
        monkeypatch.setitem(sys.modules, name, None)
    real = sys.modules["importlib.util"].find_spec
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None if name in names else real(name)
    )


class Calls:
    """Stands in for matplotlib.pyplot, and for its figures and axes."""

    def __init__(self) -> None:
        self.made: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            self.made.append((name, args, kwargs))
            return (self, self) if name == "subplots" else None

        return call

    def named(self, name: str) -> list[tuple[Any, ...]]:
        return [args for each, args, _ in self.made if each == name]


@pytest.fixture
def pyplot(monkeypatch: pytest.MonkeyPatch) -> Calls:
    package: Any = types.ModuleType("matplotlib")
    package.__spec__ = object()
    package.pyplot = Calls()
    monkeypatch.setitem(sys.modules, "matplotlib", package)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", package.pyplot)
    return package.pyplot


# --- tables --------------------------------------------------------------------------------------


def test_a_table_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    marked = perf_report(benchmark())(total)
    assert marked.run() is None
    assert capsys.readouterr().out == ""
    marked.run(print_data=True, scale=0.5)
    assert capsys.readouterr().out.splitlines() == [
        "sums:",
        "m  n       Ours     Theirs",
        "2  2  52.000000  52.500000",
        "4  8  56.000000  56.500000",
    ]
    assert marked.fn is total


def test_every_benchmark_of_a_list(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent(monkeypatch, "matplotlib", "matplotlib.pyplot")
    both = [
        benchmark(),
        benchmark(plot_name="more", x_names=["n"], x_vals=[1], args={"m": 5, "offset": 0}),
    ]
    perf_report(both)(total).run(print_data=True, save_path=tmp_path / "a" / "b")
    assert capsys.readouterr().out.endswith("more:\nn      Ours    Theirs\n1  6.000000  7.000000\n")
    files = {each.name: each.read_text() for each in (tmp_path / "a" / "b").iterdir()}
    assert files == {
        "sums.csv": "m,n,Ours,Theirs\n2,2,104.000000,105.000000\n4,8,112.000000,113.000000\n",
        "more.csv": "n,Ours,Theirs\n1,6.000000,7.000000\n",
    }


# --- plots and frames ----------------------------------------------------------------------------


def test_plots_are_saved_where_matplotlib_is(pyplot: Calls, tmp_path: Path) -> None:
    styles = [("blue", "-"), ("red", "--")]
    made = benchmark(xlabel="size", ylabel="ms", x_log=True, styles=styles)
    perf_report(made)(total).run(save_path=str(tmp_path))
    lines = [(args, kwargs) for name, args, kwargs in pyplot.made if name == "plot"]
    assert [args for args, _ in lines] == [([2, 4], [104.0, 112.0]), ([2, 4], [105.0, 113.0])]
    assert [(k["label"], k["color"], k["linestyle"]) for _, k in lines] == [
        ("Ours", "blue", "-"),
        ("Theirs", "red", "--"),
    ]
    assert pyplot.named("fill_between") == [([2, 4], [104.0, 112.0], [106.0, 114.0])]
    labels = [pyplot.named(f"set_{what}") for what in ("title", "xlabel", "ylabel")]
    assert labels == [[("sums",)], [("size",)], [("ms",)]]
    assert (pyplot.named("set_xscale"), pyplot.named("set_yscale")) == ([("log",)], [("linear",)])
    assert pyplot.named("savefig") == [(tmp_path / "sums.png",)]
    assert pyplot.named("show") == [] and len(pyplot.named("close")) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["sums.csv"]


def test_plots_are_shown(pyplot: Calls) -> None:
    perf_report([benchmark(), benchmark()])(total).run(show_plots=True)
    assert len(pyplot.named("show")) == len(pyplot.named("close")) == 2
    assert pyplot.named("savefig") == [] and pyplot.named("set_xlabel") == [("m",)] * 2


def test_data_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    pandas: Any = types.ModuleType("pandas")
    pandas.DataFrame = lambda rows, columns: (columns, rows)
    monkeypatch.setitem(sys.modules, "pandas", pandas)
    frame = (["m", "n", "Ours", "Theirs"], [[2, 2, 104.0, 105.0], [4, 8, 112.0, 113.0]])
    assert perf_report(benchmark())(total).run(return_df=True) == frame
    assert perf_report([benchmark()])(total).run(return_df=True) == [frame]


# --- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "package"), [("show_plots", "matplotlib"), ("return_df", "pandas")]
)
def test_what_a_missing_package_is_needed_for(
    monkeypatch: pytest.MonkeyPatch, option: str, package: str
) -> None:
    absent(monkeypatch, "matplotlib", "matplotlib.pyplot", "pandas")
    measured: list[Any] = []
    marked = perf_report(benchmark())(lambda **given: measured.append(given))
    expected = f"perf_report: {option} needs {package}: pip install {package}"
    with pytest.raises(ImportError, match=expected):
        marked.run(**{option: True})
    assert measured == []


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        ({"x_names": "n"}, TypeError, "x_names: expected a list of names, got 'n'"),
        ({"line_names": ["Ours"]}, ValueError, "line_names: expected 2, one for each of line_vals"),
        ({"styles": [("blue", "-")]}, ValueError, "styles: expected 2, .* got 1"),
        ({"x_vals": [(1, 2, 3)]}, ValueError, r"x_vals: expected 2 values, of m, n; got \(1, 2, 3"),
    ],
)
def test_wrong_benchmarks(changes: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=f"^Benchmark: {message}"):
        perf_report(benchmark(**changes))(total).run()
