"""``triton.tools``: what host code imports from there."""

from mytriton.tools import tensor_descriptor

__all__ = ["tensor_descriptor"]
