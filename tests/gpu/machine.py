"""What the tests of this folder run on: a GPU, or the CPU in its place, to try the tests' own code.

The stand-in has one stream, on which everything is done at once, and graphs that call again what
they captured. So every line of a test runs without a GPU; what it promises is shown by a GPU alone.
"""

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

ROOT = Path(__file__).parents[2]
Run = Callable[[], Any]


class Gpu:
    device = "cuda"
    is_real = True

    def synchronize(self) -> None:
        torch.cuda.synchronize()

    def stream(self) -> Any:
        return torch.cuda.Stream()

    def on(self, stream: Any) -> Any:
        """A context in which `stream` is the current one."""
        return torch.cuda.stream(stream)

    def event(self) -> Any:
        return torch.cuda.Event()

    def sleep(self) -> None:
        """The current stream does nothing for about 50 ms."""
        torch.cuda._sleep(100_000_000)

    def capture(self, run: Run) -> Run:
        """What replays the kernels that `run` launches, which are not run now."""
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            run()
        return graph.replay

    def free_bytes(self) -> int:
        return torch.cuda.mem_get_info()[0]


class StandInStream:
    def synchronize(self) -> None:
        pass

    def wait_event(self, event: "StandInStream") -> None:
        pass

    def wait_stream(self, stream: "StandInStream") -> None:
        pass

    def record(self) -> None:
        pass

    def query(self) -> bool:
        return True


class StandIn(Gpu):
    device = "cpu"
    is_real = False

    def synchronize(self) -> None:
        pass

    def stream(self) -> Any:
        return StandInStream()

    @contextlib.contextmanager
    def on(self, stream: Any) -> Iterator[Any]:
        yield stream

    def event(self) -> Any:
        return StandInStream()

    def sleep(self) -> None:
        pass

    def capture(self, run: Run) -> Run:
        run()
        return run

    def free_bytes(self) -> int:
        return 1 << 30


def machine() -> Gpu:
    """Skips the test where there is no GPU; with MYTRITON_REQUIRE_CUDA=1 it fails."""
    if os.environ.get("MYTRITON_TEST_DEVICE") == "cpu":
        return StandIn()
    if not torch.cuda.is_available():
        if os.environ.get("MYTRITON_REQUIRE_CUDA") == "1":
            pytest.fail("MYTRITON_REQUIRE_CUDA=1, but torch sees no GPU")
        pytest.skip("no GPU")
    return Gpu()


def run_python(
    text: str, *arguments: str, before: tuple[str, ...] = (), **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs a program that may end badly in a process of its own; `before` stands before python.
    It can import the test files and this folder's."""
    paths = [str(ROOT), str(ROOT / "tests"), os.environ.get("PYTHONPATH", "")]
    given = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **environment}
    return subprocess.run(
        [*before, sys.executable, "-c", text, *arguments],
        env=given,
        capture_output=True,
        text=True,
        timeout=90,
    )
