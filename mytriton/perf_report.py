"""``triton.testing.perf_report``: a function measured over a range of sizes; tables and plots."""

from __future__ import annotations

import csv
import importlib
import importlib.util
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["Benchmark", "Mark", "perf_report"]


class Benchmark:
    """One table, or plot: `x_vals` go down, and there is a column for each of `line_vals`.

    The function is called with, by name: each of `x_names`, an element of `x_vals` or of the tuple
    that stands there, one a name; `line_arg`, one of `line_vals`; and `args`. Columns are headed by
    `line_names`. `plot_name` is the heading, and files are named so. For plots there are `xlabel`
    (by default the first of `x_names`), `ylabel`, logarithmic axes by `x_log` and `y_log`, and
    `styles`: a colour and a line style, ``("blue", "-")``, for each line.
    """

    def __init__(
        self,
        x_names: Sequence[str],
        x_vals: Iterable[Any],
        line_arg: str,
        line_vals: Sequence[Any],
        line_names: Sequence[str],
        plot_name: str,
        args: dict[str, Any],
        xlabel: str = "",
        ylabel: str = "",
        x_log: bool = False,
        y_log: bool = False,
        styles: Sequence[tuple[str, str]] | None = None,
    ) -> None:
        if isinstance(x_names, str) or not x_names:
            raise TypeError(f"Benchmark: x_names: expected a list of names, got {x_names!r}")
        self.x_names = list(x_names)
        self.x_vals = list(x_vals)
        self.line_arg = line_arg
        self.line_vals = list(line_vals)
        self.line_names = list(line_names)
        self.plot_name = plot_name
        self.args = dict(args)
        self.xlabel = xlabel
        self.ylabel = ylabel
        self.x_log = x_log
        self.y_log = y_log
        self.styles = None if styles is None else list(styles)
        for name, values in (("line_names", self.line_names), ("styles", self.styles)):
            if values is not None and len(values) != len(self.line_vals):
                raise ValueError(
                    f"Benchmark: {name}: expected {len(self.line_vals)}, one for each of "
                    f"line_vals, got {len(values)}"
                )

    def points(self) -> Iterator[dict[str, Any]]:
        """The x arguments of each row, by name."""
        for value in self.x_vals:
            values = value if isinstance(value, tuple | list) else [value] * len(self.x_names)
            if len(values) != len(self.x_names):
                raise ValueError(
                    f"Benchmark: x_vals: expected {len(self.x_names)} values, of "
                    f"{', '.join(self.x_names)}; got {value!r}"
                )
            yield dict(zip(self.x_names, values, strict=True))


class _Measured(NamedTuple):
    """What a call gave: a time or rate, and where it gave three numbers its bounds."""

    value: float
    low: float | None = None
    high: float | None = None


class _Row(NamedTuple):
    x: dict[str, Any]
    lines: list[_Measured]

    def cells(self) -> list[Any]:
        return [*self.x.values(), *(each.value for each in self.lines)]


def _measure(fn: Callable[..., Any], benchmark: Benchmark, kwargs: dict[str, Any]) -> list[_Row]:
    rows = []
    for x in benchmark.points():
        lines = []
        for value in benchmark.line_vals:
            got = fn(**x, **{benchmark.line_arg: value}, **benchmark.args, **kwargs)
            lines.append(_Measured(*got) if isinstance(got, tuple | list) else _Measured(got))
        rows.append(_Row(x, lines))
    return rows


def _text(cell: Any) -> str:
    return f"{cell:.6f}" if isinstance(cell, float) else str(cell)


def _print(benchmark: Benchmark, rows: list[_Row]) -> None:
    header = [*benchmark.x_names, *benchmark.line_names]
    table = [header, *([_text(cell) for cell in row.cells()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    print(f"{benchmark.plot_name}:")
    for line in table:
        print("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)))


def _write(benchmark: Benchmark, rows: list[_Row], folder: Path) -> None:
    with open(folder / f"{benchmark.plot_name}.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*benchmark.x_names, *benchmark.line_names])
        writer.writerows([_text(cell) for cell in row.cells()] for row in rows)


def _plot(pyplot: Any, benchmark: Benchmark, rows: list[_Row], folder: Path | None) -> Any:
    figure, axes = pyplot.subplots()
    x = [row.x[benchmark.x_names[0]] for row in rows]
    for i, name in enumerate(benchmark.line_names):
        colour, style = benchmark.styles[i] if benchmark.styles else (f"C{i}", "-")
        line = [row.lines[i] for row in rows]
        axes.plot(x, [each.value for each in line], label=name, color=colour, linestyle=style)
        if all(each.low is not None and each.high is not None for each in line):
            low, high = [each.low for each in line], [each.high for each in line]
            axes.fill_between(x, low, high, color=colour, alpha=0.15)
    axes.set_title(benchmark.plot_name)
    axes.set_xlabel(benchmark.xlabel or benchmark.x_names[0])
    axes.set_ylabel(benchmark.ylabel)
    axes.set_xscale("log" if benchmark.x_log else "linear")
    axes.set_yscale("log" if benchmark.y_log else "linear")
    axes.legend()
    if folder is not None:
        figure.savefig(folder / f"{benchmark.plot_name}.png")
    return figure


def _imported(module: str, purpose: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise ImportError(
            f"perf_report: {purpose} needs {package}: pip install {package}", name=package
        ) from error


class Mark:
    """A function with its benchmarks; made by :func:`perf_report`."""

    def __init__(self, fn: Callable[..., Any], benchmarks: Benchmark | Sequence[Benchmark]) -> None:
        self.fn = fn
        self.benchmarks = benchmarks

    def _list(self) -> Sequence[Benchmark]:
        return [self.benchmarks] if isinstance(self.benchmarks, Benchmark) else self.benchmarks

    def run(
        self,
        show_plots: bool = False,
        print_data: bool = False,
        save_path: str | Path = "",
        return_df: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Measures all benchmarks; `kwargs` go to the function too.

        `print_data` prints a table for each. `save_path`, a folder that is made where there is
        none, gets each as ``plot_name.csv`` and, where matplotlib is installed, as
        ``plot_name.png``. `show_plots` opens the plots. `return_df` returns a pandas.DataFrame, or
        of a list of benchmarks a list of them. ImportError, before anything is measured, where the
        last two lack their package.
        """
        pyplot = _imported("matplotlib.pyplot", "show_plots") if show_plots else None
        pandas = _imported("pandas", "return_df") if return_df else None
        folder = Path(save_path) if save_path else None
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            if pyplot is None and importlib.util.find_spec("matplotlib") is not None:
                pyplot = importlib.import_module("matplotlib.pyplot")
        single = isinstance(self.benchmarks, Benchmark)
        frames = []
        for each in self._list():
            rows = _measure(self.fn, each, kwargs)
            if print_data:
                _print(each, rows)
            if folder is not None:
                _write(each, rows, folder)
            if pyplot is not None:
                figure = _plot(pyplot, each, rows, folder)
                if show_plots:
                    pyplot.show()
                pyplot.close(figure)
            if pandas is not None:
                columns = [*each.x_names, *each.line_names]
                frames.append(pandas.DataFrame([row.cells() for row in rows], columns=columns))
        if not return_df:
            return None
        return frames[0] if single else frames


def perf_report(
    benchmarks: Benchmark | Sequence[Benchmark],
) -> Callable[[Callable[..., Any]], Mark]:
    """Decorates a function that measures one point, for ``function.run(print_data=True)``::

        @triton.testing.perf_report(triton.testing.Benchmark(
            x_names=["n"], x_vals=[2**k for k in range(12, 24)],
            line_arg="provider", line_vals=["triton", "torch"], line_names=["Triton", "Torch"],
            plot_name="add", args={}, ylabel="GB/s", x_log=True,
        ))
        def add_benchmark(n, provider): ...

    The function returns a number, or a tuple of it, its lower and its upper bound.
    """
    return lambda fn: Mark(fn, benchmarks)
