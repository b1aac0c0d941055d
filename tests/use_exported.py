"""Run by test_works_with.py in a fresh process: it only imports the module that defines the ops."""

import sys

import elementwise_functions  # noqa: F401
import torch

folder, package = sys.argv[1:]
x, expected = torch.load(f"{folder}/values.pt")
program = torch.export.load(f"{folder}/program.pt2")
with torch.no_grad():
    torch.testing.assert_close(program.module()(x), expected)
print("exported: agrees")
compiled = torch._inductor.aoti_load_package(package)
torch.testing.assert_close(compiled(x), expected)
print("aot inductor: agrees")
