"""``triton.runtime.driver``: where kernels run, asked by host code that sizes its grids.

The device is the current CUDA device where there is one, else the CPU. A launch does not ask: it
runs where its tensors are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch

__all__ = ["driver"]


class Target(NamedTuple):
    """What code is made for: ("cuda", 90, 32), or ("cpu", "native", 1)."""

    backend: str
    arch: int | str
    warp_size: int


class Properties:
    """``driver.active.utils``."""

    def get_device_properties(self, device: Any = None) -> dict[str, int]:
        """``multiprocessor_count``, on the CPU the threads that run programs; on CUDA also
        ``max_shared_mem`` in bytes, ``max_num_regs`` and ``warpSize``."""
        if not torch.cuda.is_available():
            return {"multiprocessor_count": torch.get_num_threads()}
        properties: Any = torch.cuda.get_device_properties(device)
        return {
            "multiprocessor_count": properties.multi_processor_count,
            "max_shared_mem": properties.shared_memory_per_block_optin,
            "max_num_regs": properties.regs_per_multiprocessor,
            "warpSize": properties.warp_size,
        }


class Driver:
    """``driver.active``."""

    utils = Properties()

    def get_active_torch_device(self) -> torch.device:
        """``torch.device("cuda", i)``, or the CPU."""
        if torch.cuda.is_available():
            return torch.device("cuda", self.get_current_device())
        return torch.device("cpu")

    def get_current_device(self) -> int:
        """The current device's number; 0 on the CPU."""
        return torch.cuda.current_device() if torch.cuda.is_available() else 0

    def get_current_target(self) -> Target:
        """The device's target."""
        if not torch.cuda.is_available():
            return Target("cpu", "native", 1)
        major, minor = torch.cuda.get_device_capability()
        return Target("cuda", 10 * major + minor, 32)

    def get_device_interface(self) -> Any:
        """``torch.cuda`` or ``torch.cpu``."""
        return torch.cuda if torch.cuda.is_available() else torch.cpu


class Drivers:
    """``triton.runtime.driver``: ``active`` is the one that answers."""

    active = Driver()


driver = Drivers()
