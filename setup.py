"""Builds mytriton/_C with CMake, against the torch that is installed."""

import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.dist_info import dist_info

ROOT = Path(__file__).resolve().parent

NO_TORCH = """
mytriton is built against the torch that is installed, and this build sees none.
Either torch is not installed, or pip hides it by building in isolation. With torch installed:

    pip install "setuptools>=77" cmake ninja
    pip install --no-build-isolation -e .
"""

NO_CMAKE = """
mytriton is built with CMake, and there is none:

    pip install "setuptools>=77" cmake ninja
"""


def require_torch() -> None:
    if importlib.util.find_spec("torch") is None:
        raise SystemExit(NO_TORCH)


def find_tool(name: str) -> str | None:
    """The tool in the scripts folder of this interpreter (an environment may not be active), or on
    PATH."""
    scripts = sysconfig.get_path("scripts")
    return shutil.which(name, path=os.pathsep.join([scripts, os.environ.get("PATH", os.defpath)]))


class CheckedDistInfo(dist_info):
    """Metadata is what pip asks for before it downloads dependencies: the moment to stop an
    isolated build, which would otherwise fetch a second torch only to fail."""

    def run(self) -> None:
        require_torch()
        super().run()


class CMakeBuild(build_ext):
    """Environment: CMAKE_ARGS, CMAKE_BUILD_PARALLEL_LEVEL."""

    def run(self) -> None:
        require_torch()
        cmake, ninja = find_tool("cmake"), find_tool("ninja")
        if cmake is None:
            raise SystemExit(NO_CMAKE)

        # Kept, so that a rebuild compiles only what changed. The folder of in-place builds is also
        # that of the Makefile, whose stamps tell which environment the extension was built for.
        build = Path(self.build_temp).resolve()
        if self.inplace:
            build = ROOT / "build" / str(sys.implementation.cache_tag)
            for stamp in build.glob("installed-*"):
                stamp.unlink()
        extension = Path(self.get_ext_fullpath("mytriton._C")).resolve()
        configure = [cmake, "-S", str(ROOT), "-B", str(build)]
        if ninja is not None and not (build / "Makefile").exists():
            configure += ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"]
        configure += [
            f"-DPython_EXECUTABLE={sys.executable}",
            f"-DMYTRITON_EXT_DIR={extension.parent}",
            f"-DMYTRITON_EDITABLE={'ON' if self.inplace else 'OFF'}",
            "-DMYTRITON_WERROR=OFF",
            *os.environ.get("CMAKE_ARGS", "").split(),
        ]
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
        subprocess.run(configure, check=True)
        subprocess.run([cmake, "--build", build, "--target", "_C", "--parallel", jobs], check=True)
        if not extension.exists():
            raise RuntimeError(f"CMake was to write {extension} and did not")


if __name__ == "__main__":
    # `depends` puts the C++ sources into an sdist; CMake finds them by itself.
    sources = [ROOT / "CMakeLists.txt", *ROOT.glob("cmake/*"), *ROOT.glob("csrc/*/*.*")]
    depends = [str(path.relative_to(ROOT)) for path in sources]
    setup(
        ext_modules=[Extension("mytriton._C", sources=[], depends=depends)],
        cmdclass={"build_ext": CMakeBuild, "dist_info": CheckedDistInfo},
    )
