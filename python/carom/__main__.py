"""`python -m carom ARGUMENTS`, and the command `carom` of the wheel: the program that came with it."""

import os
import shutil
import sys


def main():
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "carom")
    program = beside if os.access(beside, os.X_OK) else shutil.which("carom")
    if program is None or os.path.realpath(program) == os.path.realpath(sys.argv[0]):
        print("carom: error: the program is not installed beside the package, nor on the PATH", file=sys.stderr)
        return 2
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
