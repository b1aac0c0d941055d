"""The derivative of an op that Python defines: what happens where a call asks for one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import torch
from torch._functorch.utils import enable_single_level_autograd_function
from torch._library.autograd import supports_tensorlist
from torch.autograd.function import _SingleLevelFunction

from mytriton import _C
from mytriton.gradients import listening, lost

_BelowAutograd = torch._C._AutoDispatchBelowAutograd
_after_autograd = torch._C._after_autograd_keyset
_has_levels = torch._C._are_functorch_transforms_active

# Of the ops whose kernels at the Autograd key the gates call. Kept for ever, as all libraries.
_library = torch.library.Library("mytriton_autograd", "FRAGMENT")


class _Call:
    """What the dispatcher gives beside positional arguments: for autograd's eyes no tensors."""

    def __init__(self, keys: Any, keywords: dict[str, Any]) -> None:
        self.keys = keys
        self.keywords = keywords


def _apply(function: Any, *args: Any) -> Any:
    if not _has_levels():
        return function.apply(*args)
    # The dispatcher comes here once for each level of torch.func's transformations.
    with enable_single_level_autograd_function():
        return function.apply(*args)


class _Undifferentiable(_SingleLevelFunction):
    """The first `count` tensors, which depend on all: whoever differentiates them gets an error."""

    @staticmethod
    def forward(ctx: Any, message: str, count: int, *tensors: Any) -> Any:
        ctx.message = message
        return tensors[:count]

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise RuntimeError(ctx.message)


class Derivative:
    """The derivative of one op: none, until `backward` is given.

    Calls that ask for no derivative never come here (csrc/torch/op_gate.h).
    """

    def __init__(self, op: torch._ops.OpOverload) -> None:
        self._op = op
        self.name = op._schema.name
        self.backward: Callable[..., Any] | None = None
        self.setup_context: Callable[..., Any] | None = None
        arguments = op._schema.arguments
        self._defaults = tuple(e.default_value for e in arguments if not e.kwarg_only)
        self._keyword_defaults = {e.name: e.default_value for e in arguments if e.kwarg_only}
        self._function = self._make_function()
        base = self.name.replace("::", "__")
        _library.define(base + str(op._schema).removeprefix(self.name))
        kernel = self._launch if op._schema.is_mutable else self._differentiate
        _library.impl(base, kernel, "Autograd", with_keyset=True)
        _C.add_op_gate(self.name, f"mytriton_autograd::{base}")

    def _launch(self, keys: Any, *args: Any, **kwargs: Any) -> Any:
        """An op that writes its arguments: as a launch that does."""
        given = dict(zip((e.name for e in self._op._schema.arguments), args, strict=False)) | kwargs
        wanting = [] if not torch.is_grad_enabled() else [n for n, v in given.items() if _wants(v)]
        written = {e.name for e in self._op._schema.arguments if e.alias_info is not None}
        for name in wanting:
            if name in written:
                raise RuntimeError(
                    f"{self.name}: argument '{name}' is written by the op and requires grad, but "
                    "an op that writes has no derivative; call it under torch.no_grad() or from a "
                    "torch.autograd.Function"
                )
        if wanting:
            lost(
                f"{self.name}: argument '{wanting[0]}' requires grad, but an op that writes has no "
                "derivative, so that no gradient will reach it. Where that is meant, call it under "
                "torch.no_grad() or pass its detach(); else return the result in place of writing "
                "it, and give the op register_autograd"
            )
        with _BelowAutograd():
            return self._op.redispatch(keys & _after_autograd, *args, **kwargs)

    def _differentiate(self, keys: Any, *args: Any, **kwargs: Any) -> Any:
        call = _Call(keys, self._keyword_defaults | kwargs)
        return _apply(self._function, *args, *self._defaults[len(args) :], call)

    def _make_function(self) -> Any:
        def forward(ctx: Any, *args: Any) -> Any:
            *inputs, call = args
            # A Function's forward runs without grad mode; outer levels of torch.func want it.
            grad_mode = torch.enable_grad() if _has_levels() else nullcontext()
            with _BelowAutograd(), grad_mode:
                output = self._op.redispatch(call.keys & _after_autograd, *inputs, **call.keywords)
            if self.setup_context is not None:
                only = {"keyword_only_inputs": call.keywords} if self._keyword_defaults else {}
                self.setup_context(ctx=ctx, inputs=tuple(inputs), output=output, **only)
            return output

        def backward(ctx: Any, *grads: Any) -> Any:
            result = self._run_backward(ctx, *grads)
            return (*result, None) if isinstance(result, tuple) else (result, None)

        members = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
        function = type(self.name.replace("::", "_"), (_SingleLevelFunction,), members)
        schema = self._op._schema
        has_lists = any("List[" in str(e.type) for e in (*schema.arguments, *schema.returns))
        return supports_tensorlist(function) if has_lists else function

    def _run_backward(self, ctx: Any, *grads: Any) -> Any:
        if self.backward is None:
            raise RuntimeError(
                f"{self.name} has no derivative; give it one with register_autograd, or call it "
                "under torch.no_grad()"
            )
        if not torch.is_grad_enabled():
            return self.backward(ctx, *grads)
        with listening() as losses:
            result = self.backward(ctx, *grads)
        return self._once_differentiable(result, (*grads, *ctx.saved_tensors)) if losses else result

    def _once_differentiable(self, result: Any, sources: tuple[Any, ...]) -> Any:
        message = (
            f"{self.name}: its backward launches kernels, which have no derivative, so that it "
            "cannot be differentiated again; make what it launches a mytriton.op with "
            "register_autograd"
        )
        gradients = result if isinstance(result, tuple) else (result,)
        tensors = [each for each in gradients if isinstance(each, torch.Tensor)]
        guarded = iter(_apply(_Undifferentiable, message, len(tensors), *tensors, *sources))
        return tuple(next(guarded) if isinstance(e, torch.Tensor) else e for e in gradients)


def _wants(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(_wants(each) for each in value)
    return isinstance(value, torch.Tensor) and value.requires_grad
