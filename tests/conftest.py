"""Options of the test suite, and NVRTC's check of what each file of it compiles."""

import os
import shutil
import tempfile
from collections.abc import Iterator

import cuda_texts
import pytest
from engines import DEVICE, cuda_text


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite the expected outputs in tests/ir from what the compiler does now",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "last: runs after all other tests, of those in its process")
    config.addinivalue_line("markers", "on_host(reason): what it promises is not CUDA's to keep")
    if not DEVICE:
        cuda_texts.record()
    # Never the cache of whoever runs the tests. Processes that share a session share one of their
    # own, as do those that tests start; tests that count compiles turn it off.
    if not hasattr(config, "workerinput"):
        folder = tempfile.mkdtemp(prefix="mytriton-tests-")
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
        os.environ["MYTRITON_CACHE_DIR"] = folder
        os.environ.pop("MYTRITON_CACHE_SIZE", None)


def runs_cuda_text(item: pytest.Item) -> bool:
    """Whether a test launches on that engine, as far as its parameters and its own text tell."""
    if item.get_closest_marker("on_host"):
        return False
    call = getattr(item, "callspec", None)
    if call is not None and cuda_text in [each for each in call.params.values() if callable(each)]:
        return True
    return "cuda_text" in item.function.__code__.co_names


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # What takes long stands at the front, so that no process is left alone with it at the end: a
    # build, which goes on beside other tests, and the longest file of what else is last by name.
    front = ("test_add_op.py", "test_works_with.py")
    items.sort(key=lambda item: item.path.name not in front)
    if DEVICE:  # tests of engines.py run on it, and those of tests/gpu
        kept = [each for each in items if each.path.parent.name == "gpu" or runs_cuda_text(each)]
        config.hook.pytest_deselected(items=[each for each in items if each not in kept])
        items[:] = kept
    items.sort(key=lambda item: item.get_closest_marker("last") is not None)


@pytest.fixture(autouse=True, scope="module")
def nvrtc_accepts_the_text_of_every_kernel() -> Iterator[None]:
    """Fails at the end of the file whose kernels it refuses. Not at the end of the suite: where
    several processes share it, each has its own files."""
    yield
    cuda_texts.compile_recorded()
