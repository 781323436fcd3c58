"""The compiled parts of the wheel, by CMake: carom/_carom, the stubs, and the program as carom/bin/carom.

CAROM_BUILD_DIR names a configured build folder to take them from; without it they are built here.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent


class BuildByCMake(build_ext):
    def run(self):
        build = pathlib.Path(os.environ.get("CAROM_BUILD_DIR") or pathlib.Path(self.build_temp) / "cmake")
        if not (build / "CMakeCache.txt").exists():
            subprocess.run(
                ["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                 "-DCMAKE_UNITY_BUILD=ON", "-DCAROM_BUILD_TESTS=OFF", f"-DPython_EXECUTABLE={sys.executable}"],
                check=True,
            )  # fmt: skip
        jobs = str(len(os.sched_getaffinity(0)))
        subprocess.run(
            ["cmake", "--build", build, "--parallel", jobs, "--target", "carom_cli", "carom_python"], check=True
        )
        package = pathlib.Path(self.build_lib) / "carom"
        (package / "bin").mkdir(parents=True, exist_ok=True)
        made = [*(build / "python" / "carom").glob("*.pyi"), *(build / "python" / "carom").glob("_carom*.so")]
        for file in made:
            shutil.copy(file, package)
        shutil.copy(build / "carom", package / "bin" / "carom")
        strip = shutil.which("strip")
        if strip:
            subprocess.run([strip, "--strip-unneeded", package / "bin" / "carom", *package.glob("_carom*.so")], check=True)


version = re.search(r"project\(carom VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
setup(version=version, ext_modules=[Extension("carom._carom", sources=[])], cmdclass={"build_ext": BuildByCMake})
