# Sets up an environment, builds the extension, runs demo, tests and linters. Nothing is installed
# or built again while what it was made from is unchanged.
#   make test                        in .venv, made by the first run
#   make test VENV=                  in the environment at hand, with its torch
#   make test TORCH=torch==2.11.0    against another torch (any arguments of pip install)
#   make gpu-check GPU_CHECK=--help  what needs a GPU, with options of tools/gpu_check

VENV ?= .venv
PYTHON ?= python3
TORCH ?= torch==2.13.0
FUZZ_CXX ?= clang++
SECONDS ?= 600

# The Python of the environment. PATH gives its programs (cmake, ninja, ruff, ...) by plain name.
PY := $(if $(VENV),$(abspath $(VENV))/bin/python,$(PYTHON))
BASE := $(or $(wildcard $(PY)),$(PYTHON))
facts := $(shell $(BASE) -c 'import sys, sysconfig as s; \
	print(sys.implementation.cache_tag, s.get_path("scripts"), sys.prefix.replace("/", "-"))')
ifeq ($(facts),)
$(error $(BASE) does not run; name a Python 3.11 or newer: make PYTHON=python3.11)
endif
scripts := $(if $(VENV),$(abspath $(VENV))/bin,$(word 2,$(facts)))
BUILD := build/$(word 1,$(facts))

export PATH := $(scripts):$(PATH)
export CMAKE_ARGS := -DMYTRITON_WERROR=ON $(CMAKE_ARGS)
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell nproc 2>/dev/null || echo 2)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
pip := $(PY) -m pip install -q

# Stamps. One environment at a time owns the extension, which lies in mytriton/: the stamp carries
# the environment's name, and setup.py removes it whenever it builds in place.
torch_key := $(shell echo '$(TORCH)' | cksum | cut -d ' ' -f 1)
torch := $(if $(VENV),$(VENV)/.torch-$(torch_key))
owner := $(if $(VENV),$(subst /,-,$(abspath $(VENV))),$(word 3,$(facts)))
installed := $(BUILD)/installed$(owner)
tools := $(BUILD)/tools$(owner)

# Lists that pyproject.toml holds: $(call listed,path.of.keys)
listed = $(shell $(BASE) -c 'import functools, tomllib; \
	p = tomllib.load(open("pyproject.toml", "rb")); \
	print(*map(repr, functools.reduce(dict.get, "$(1)".split("."), p)))')

cpp_files := $(shell find csrc tests -name '*.h' -o -name '*.cpp' -o -name '*.c')

.PHONY: help demo test cpp-test py-test accuracy gpu-check tsan fuzz lint format build bench wc clean check-torch gtest
.NOTPARALLEL:

help: ## say what there is
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 16

demo: build ## build, then run examples/fused_activation.py
	$(PY) examples/fused_activation.py

test: cpp-test py-test lint ## build, then run the C++ tests, the Python tests and the linters
	@echo "make test: C++ tests, Python tests and linters passed"

# --- environment ---------------------------------------------------------------------------------

# numpy comes along because torch warns where it is missing.
$(VENV)/.torch-$(torch_key):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
		"mytriton needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(pip) $(TORCH) numpy
	@rm -f $(VENV)/.torch-*
	@touch $@

check-torch:
	@$(PY) -c 'import importlib.util as u, sys; sys.exit(u.find_spec("torch") is None and \
		"$(PY) has no torch: install one there, or leave out VENV= for an environment in .venv")'

$(installed): pyproject.toml setup.py $(torch) | check-torch
	$(pip) $(call listed,build-system.requires)
	@echo "building the extension (a minute or two)"
	$(pip) --no-build-isolation --no-deps -e .
	@touch $@

$(tools): pyproject.toml $(installed)
	$(pip) $(call listed,project.optional-dependencies.dev)
	@touch $@

# --- build and test ------------------------------------------------------------------------------

build: $(installed) ## build the extension in place
	@cmake --build $(BUILD) --target _C

# Best effort: where it cannot be installed, CMake downloads it.
gtest:
	@echo '#include <gtest/gtest.h>' | $${CXX:-c++} -E -x c++ - >/dev/null 2>&1 || { \
		if [ "$$(id -u)" = 0 ]; then sudo=; else sudo="sudo -n"; fi; \
		get="$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y libgtest-dev"; \
		echo "GoogleTest is not installed; trying: $$get"; \
		$$get >/dev/null 2>&1 || { $$sudo apt-get update -qq && $$get; } >/dev/null 2>&1 || true; }

cpp-test: build gtest $(tools) ## run the C++ tests
	@grep -q MYTRITON_TESTS:BOOL=ON $(BUILD)/CMakeCache.txt || cmake $(BUILD) -DMYTRITON_TESTS=ON
	@cmake --build $(BUILD) --target mytriton_tests
	MYTRITON_NVRTC_PATH="$$(cd mytriton && $(PY) -c 'import nvrtc; \
		print(*nvrtc.wheel_folders(), sep=":")')" ctest --test-dir $(BUILD) --output-on-failure \
		--parallel $(CMAKE_BUILD_PARALLEL_LEVEL)

# On all cores; each process takes whole files, in their order. OpenMP threads that wait sleep rather
# than spin, as other processes need the core.
py-test: build $(tools) ## run the Python tests, on all cores
	OMP_WAIT_POLICY=passive $(PY) -m pytest --numprocesses $(CMAKE_BUILD_PARALLEL_LEVEL) \
		--dist loadfile --no-loadscope-reorder

accuracy: build gtest $(tools) ## measure the elementwise math over every 17th float (takes minutes)
	@grep -q MYTRITON_TESTS:BOOL=ON $(BUILD)/CMakeCache.txt || cmake $(BUILD) -DMYTRITON_TESTS=ON
	@cmake --build $(BUILD) --target mytriton_tests
	MYTRITON_ULP_STRIDE=17 $(BUILD)/mytriton_tests --gtest_filter='*MathRow*' | grep -v '^\['

# In .venv if there is one, else in the environment at hand; it installs and downloads nothing else.
gpu-check: ## on a machine with a GPU: build, run the tests that need it, time kernels (8 minutes)
	$(BASE) tools/gpu_check $(GPU_CHECK)

tsan: gtest ## run the C++ tests of threads under ThreadSanitizer
	cmake -S . -B build/tsan -DMYTRITON_TORCH=OFF -DMYTRITON_THREAD_TESTS=ON -DMYTRITON_WERROR=ON \
		-DMYTRITON_SANITIZE=thread
	cmake --build build/tsan --target thread_tests
	TSAN_OPTIONS=halt_on_error=1 build/tsan/thread_tests --gtest_filter='Threads.*:*ThreadsThatRace*'

# Needs clang++ with libFuzzer (Debian: clang libclang-rt-dev). New inputs stay in build/fuzz/corpus.
fuzz: ## fuzz the parser and the stages behind it for SECONDS, from the golden files
	cmake -S . -B build/fuzz -DCMAKE_CXX_COMPILER=$(FUZZ_CXX) -DMYTRITON_TORCH=OFF -DMYTRITON_FUZZ=ON \
		-DMYTRITON_SANITIZE=fuzzer-no-link,address,undefined
	cmake --build build/fuzz --target ir_fuzz
	@mkdir -p build/fuzz/corpus
	@for file in tests/ir/*/*.mt; do \
		sed '/^; ---/,$$d' $$file > build/fuzz/corpus/$$(echo $$file | tr / _); done
	build/fuzz/ir_fuzz -max_total_time=$(SECONDS) -timeout=10 -max_len=4096 build/fuzz/corpus

lint: $(tools) ## check style and types
	ruff check
	ruff format --check
	$(PY) -m mypy
	clang-format --dry-run -Werror $(cpp_files)

format: $(tools) ## format all sources in place
	ruff check --fix
	ruff format
	clang-format -i $(cpp_files)

bench: build ## time row kernels and elementwise functions beside eager torch and torch.compile
	$(PY) benchmarks/rows.py
	$(PY) benchmarks/fusion.py

wc: ## count lines
	@for folder in csrc/* mytriton tests examples benchmarks; do \
		printf '%7d %s\n' $$(find $$folder -type f \
			\( -name '*.py' -o -name '*.pyi' -o -name '*.cpp' -o -name '*.c' -o -name '*.h' \
			-o -name '*.def' -o -name '*.mt' \) -exec cat {} + | wc -l) $$folder; \
	done

clean: ## remove what was built (not .venv)
	rm -rf build mytriton/_C*.so *.egg-info .mypy_cache .ruff_cache .pytest_cache
