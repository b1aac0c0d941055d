"""Run by test_cuda_torch.py: launches on CUDA tensors of the fake driver, from torch to the values.

Its argument is the library of tests/fake_cuda/torch_device.cpp. Prints, as JSON, what each check_*
function raised: a traceback, or nothing.
"""

import json
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from functools import partial

import torch
from elementwise_functions import eager_gated, gated, leaky
from kernels import add_kernel, relu_kernel, softmax_kernel

import mytriton
import mytriton.language as tl

fake = torch.ops.fake_cuda


@mytriton.elementwise
def total(a, b):
    return a + b


def gpu(x: torch.Tensor, device: int = 0) -> torch.Tensor:
    return fake.to_device(x, device)


def cpu(x: torch.Tensor) -> torch.Tensor:
    """The values of a tensor that is dense in memory."""
    out = torch.empty_strided(x.shape, x.stride(), dtype=x.dtype)
    return fake.to_host(x.detach(), out)


def message_of(error: type[Exception], call: Callable[[], object]) -> str:
    try:
        call()
    except error as caught:
        return str(caught)
    raise AssertionError(f"no {error.__name__}")


def launches() -> list[str]:
    return [line for line in fake.log().splitlines() if line.startswith("launch ")]


def check_a_kernel_of_every_kind_of_argument() -> None:
    x = torch.randn(1000)
    out = gpu(torch.full((1024,), 7.0))
    add_kernel[(4,)](gpu(x), gpu(x * 3), out, 1000, BLOCK=256)
    assert torch.equal(cpu(out)[:1000], x + x * 3) and (cpu(out)[1000:] == 7.0).all()
    rows = torch.randn(4, 100)
    out = gpu(torch.zeros(4, 100))
    softmax_kernel[(4,)](gpu(rows), out, 100, 100, BLOCK=128)
    torch.testing.assert_close(cpu(out), torch.softmax(rows, 1))


def check_the_tensors_device_and_its_current_stream() -> None:
    """Whichever device is the current one, which stays so."""
    x = torch.randn(256)
    fake.set_device(0)
    fake.set_stream(1, 2)
    for device, stream in ((1, 2), (0, -1), (2, -1)):
        out = gpu(torch.zeros(256), device)
        for _ in range(2):  # cold, then warm
            relu_kernel[(1,)](gpu(x, device), out, 256, BLOCK=256)
            address = hex(fake.stream_address(1, 2)) if stream == 2 else "(nil)"
            assert f"relu_kernel device {device} " in launches()[-1], launches()
            assert f"stream {address} " in launches()[-1], launches()
            assert fake.current_device() == 0
        assert torch.equal(cpu(out), torch.relu(x))
    fake.set_stream(1, -1)


def check_tensors_of_two_devices_are_refused() -> None:
    here, there, host = gpu(torch.ones(8), 0), gpu(torch.ones(8), 1), torch.ones(8)
    before = launches()
    for other, name in ((there, "cuda:1"), (host, "cpu")):
        for _ in range(2):
            message = message_of(
                (TypeError, ValueError), lambda o=other: add_kernel[(1,)](here, o, here, 8, BLOCK=8)
            )
            assert "cuda:0" in message and name in message, message
            assert "'y'" in message or "y" in message.split(), message
    assert launches() == before


def check_grids() -> None:
    x, out = gpu(torch.ones(8)), gpu(torch.zeros(8))
    before = launches()
    for grid in ((0,), (1, 0), (3, 2, 0)):
        relu_kernel[grid](x, out, 8, BLOCK=8)
    assert launches() == before
    for grid, words in (
        ((1, 65536), "'relu_kernel': grid axis y is 65536; CUDA's limit on this axis is 65535"),
        ((1, 1, 70000), "'relu_kernel': grid axis z is 70000; CUDA's limit"),
        ((2**31,), "grid axis 0: expected 0 to 2147483647, got 2147483648"),
    ):
        message = message_of(ValueError, lambda g=grid: relu_kernel[g](x, out, 8, BLOCK=8))
        assert words in message, message
    assert launches() == before


def check_elementwise_functions() -> None:
    x, gate, bias = torch.randn(5, 300), torch.randn(5, 1), torch.randn(300)
    for device in (0, 2):
        out = gated(gpu(x, device), gpu(gate, device), gpu(bias, device))
        assert out.device == torch.device("cuda", device)
        torch.testing.assert_close(cpu(out), eager_gated(x, gate, bias))
    half = torch.randn(1000).half()
    value, positive = leaky(gpu(half), 0.5)
    assert torch.equal(cpu(value), torch.where(half > 0, half, 0.5 * half))
    assert torch.equal(cpu(positive), half > 0)
    turned = torch.randn(64, 48).t()
    assert torch.equal(cpu(leaky(gpu(turned), 0.5)[0]), torch.where(turned > 0, turned, turned / 2))


def check_scalars_on_the_cpu_beside_a_gpu() -> None:
    x = torch.randn(5, 300)
    for dtype, scalar in (
        (torch.float32, torch.tensor(2**40 + 1)),
        (torch.bfloat16, torch.tensor(0.3, dtype=torch.float64)),
        (torch.float64, torch.tensor(0.3)),
        (torch.int32, torch.tensor(True)),
    ):
        made = total(gpu(x.to(dtype)), scalar)
        expected = total(x.to(dtype), scalar.item())
        assert made.device == torch.device("cuda", 0) and made.dtype == dtype
        assert torch.equal(cpu(made), expected)
    big = torch.tensor(2**63 + 5, dtype=torch.uint64)
    made = total(gpu(torch.zeros(3, dtype=torch.uint64)), big)
    assert cpu(made).tolist() == [2**63 + 5] * 3
    text = message_of(TypeError, lambda: total(gpu(x), x))
    assert "'a' is on cuda:0 and 'b' on cpu" in text, text


def check_views_that_are_not_aligned() -> None:
    x = torch.randn(1025)
    out = gpu(torch.zeros(1025))
    view = torch.as_strided(gpu(x), (1024,), (1,), 1)
    add_kernel[(4,)](view, view, torch.as_strided(out, (1024,), (1,), 1), 1024, BLOCK=256)
    assert torch.equal(cpu(out)[1:], x[1:] * 2) and cpu(out)[0] == 0


def check_gradients_in_a_thread_that_never_had_a_context() -> None:
    """As autograd's threads are. Its engine itself does not run for CUDA in a torch without it."""
    x, grad = torch.randn(1000), torch.randn(1000)
    here = x.clone().requires_grad_()
    leaky(here, 0.5)[0].backward(grad)
    for device in (0, 1):
        value, _ = leaky(gpu(x, device).requires_grad_(), 0.5)
        found: list[torch.Tensor] = []
        work = partial(lambda *given, call, to: to.extend(call(*given)), gpu(grad, device), None)
        thread = threading.Thread(target=partial(work, call=value.grad_fn, to=found))
        thread.start()
        thread.join()
        assert found[0].device == torch.device("cuda", device)
        assert torch.equal(cpu(found[0]), here.grad)


@mytriton.jit
def captured_kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < n) * 2, at < n)


def check_captures() -> None:
    x, out = gpu(torch.ones(100)), gpu(torch.zeros(100))
    fake.set_stream(0, 2)
    fake.set_capture(0, 2, True)
    cold = message_of(RuntimeError, lambda: captured_kernel[(1,)](x, out, 100, BLOCK=128))
    assert "captured_kernel" in cold and "warm up first" in cold, cold
    fake.set_capture(0, 2, False)
    captured_kernel[(1,)](x, out, 100, BLOCK=128)
    fake.set_capture(0, 2, True)
    captured_kernel[(1,)](out, x, 100, BLOCK=128)
    fake.set_capture(0, 2, False)
    fake.set_stream(0, -1)
    assert (cpu(x) == 1).all() and (cpu(out) == 2).all()
    assert fake.replay(0, 2) == 1
    assert (cpu(x) == 4).all()


@mytriton.jit
def raced_kernel(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, at < n) + 1, at < n)


def check_sixteen_first_launches_at_once() -> None:
    start = threading.Barrier(16)
    wrong: list[str] = []

    def work(i: int) -> None:
        try:
            x, out = gpu(torch.full((500,), float(i)), i % 3), gpu(torch.zeros(500), i % 3)
            fake.set_stream(i % 3, i % 4)
            start.wait()
            for _ in range(3):
                raced_kernel[(4,)](x, out, 500, BLOCK=128)
            assert (cpu(out) == i + 1).all()
        except Exception:
            wrong.append(traceback.format_exc())

    threads = [threading.Thread(target=work, args=(i,)) for i in range(16)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong, wrong[0]
    assert sum("launch raced_kernel" in line for line in launches()) == 48


def check_an_error_of_the_driver_does_not_stick() -> None:
    x, out = gpu(torch.ones(100)), gpu(torch.zeros(100))
    relu_kernel[(1,)](x, out, 100, BLOCK=256)
    fake.fail("cuLaunchKernel", 0, 701)
    message = message_of(RuntimeError, lambda: relu_kernel[(1,)](x, out, 100, BLOCK=256))
    assert "cuLaunchKernel failed for kernel 'relu_kernel' on device 0" in message, message
    relu_kernel[(1,)](x, out, 100, BLOCK=256)
    on_cpu = torch.zeros(100)
    relu_kernel[(1,)](torch.ones(100), on_cpu, 100, BLOCK=256)
    assert (cpu(out) == 1).all() and (on_cpu == 1).all()


def check_a_forked_child() -> None:
    """Its launches on CUDA tensors are errors; those on the CPU work."""
    x, out = gpu(torch.ones(100)), gpu(torch.zeros(100))
    relu_kernel[(1,)](x, out, 100, BLOCK=256)
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # a hang ends as a signal
        message = message_of(RuntimeError, lambda: relu_kernel[(1,)](x, out, 100, BLOCK=256))
        on_cpu = torch.zeros(100)
        relu_kernel[(1,)](torch.ones(100), on_cpu, 100, BLOCK=256)
        os._exit(0 if "forked" in message and "spawn" in message and (on_cpu == 1).all() else 1)
    assert os.waitpid(child, 0)[1] == 0
    relu_kernel[(1,)](x, out, 100, BLOCK=256)


CHECKS = {name: each for name, each in list(globals().items()) if name.startswith("check_")}


def main() -> None:
    torch.ops.load_library(sys.argv[1])
    raised = {}
    for name, check in CHECKS.items():
        try:
            check()
            raised[name] = ""
        except BaseException:
            raised[name] = traceback.format_exc()
    if "violation" in fake.log():
        raised["violations"] = fake.log()
    print(json.dumps(raised))


if __name__ == "__main__":
    main()
