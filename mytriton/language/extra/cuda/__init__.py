"""``tl.extra.cuda.libdevice``, an older import path."""

from mytriton.language.extra import libdevice

__all__ = ["libdevice"]
