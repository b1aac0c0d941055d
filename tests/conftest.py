"""Options of the test suite, and a record of the CUDA text of every kernel that it compiles."""

import contextlib

import pytest

import mytriton
from mytriton.jit import JITFunction

# CUDA text -> the kernel's name; test_nvrtc.py compiles them all, last.
CUDA_TEXTS: dict[str, str] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite the expected outputs in tests/ir from what the compiler does now",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "last: runs after all other tests")
    compile_kernel = JITFunction._compile

    def recording(self: JITFunction, *args: object) -> mytriton.CompiledKernel:
        compiled = compile_kernel(self, *args)
        if self.fn.__module__.endswith(".evaluated"):  # never on CUDA; others have twins
            return compiled
        with contextlib.suppress(ValueError):  # blocks that the lane layout cannot hold
            CUDA_TEXTS.setdefault(compiled.cuda_src, compiled.name)
        return compiled

    JITFunction._compile = recording


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: item.get_closest_marker("last") is not None)
