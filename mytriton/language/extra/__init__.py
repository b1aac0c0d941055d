"""Where Triton keeps what belongs to one vendor's GPUs; here ``libdevice`` works everywhere."""

from mytriton.language.extra import cuda, libdevice

__all__ = ["cuda", "libdevice"]
