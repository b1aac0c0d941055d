"""Tests that need a GPU: what neither the CPU's engines nor CUDA text run on the CPU can show."""
