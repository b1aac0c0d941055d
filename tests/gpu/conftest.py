"""Gives each test of this folder its machine, and skips them all where there is none."""

import pytest

from gpu.machine import Gpu, machine


@pytest.fixture(autouse=True)
def gpu() -> Gpu:
    return machine()
