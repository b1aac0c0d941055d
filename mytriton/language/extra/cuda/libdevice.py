"""An older import path of ``tl.extra.libdevice``."""

from mytriton.language.extra.libdevice import *  # noqa: F403
from mytriton.language.extra.libdevice import __all__, __getattr__

__all__ += ["__getattr__"]
