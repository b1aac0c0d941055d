"""An older import path of ``tl.extra.libdevice``."""

from mytriton.language.extra.libdevice import *  # noqa: F403
from mytriton.language.extra.libdevice import __all__ as __all__
from mytriton.language.extra.libdevice import __getattr__ as __getattr__
