"""The `kernel` decorator: compiled on first use, kept on disk, the GIL released.

Under `NUMBA_DISABLE_JIT=1`, or where numba cannot be imported, every kernel is the plain Python
function.

Integers are signed 64-bit. Numba tells LLVM that signed arithmetic never overflows, and LLVM
believes it: use `bits.multiply63` wherever a product may wrap.
"""

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

from fourlab.core.errors import FourlabError

try:
    with warnings.catch_warnings():  # numba's own would hold a traceback
        warnings.filterwarnings("error", "Environment variable", RuntimeWarning)
        import numba
except ImportError:  # not installed, or it refuses the numpy that is
    numba = None
except ValueError as error:
    raise FourlabError(f"numba: {error} Correct NUMBA_NUM_THREADS, or unset it") from None
except RuntimeWarning as error:
    said = str(error).partition("\n")[0]
    raise FourlabError(f"numba: {said} Correct it, or unset it") from None

F = TypeVar("F", bound=Callable[..., Any])

COMPILED = numba is not None and not numba.config.DISABLE_JIT
SLOWNESS = 1 if COMPILED else 256  # how much longer a kernel takes, for those who watch the clock

if COMPILED:
    from fourlab.core import compiler


def kernel(function: F) -> F:
    """Compile `function` on first use; keep the machine code on disk where the disk allows it.

    A kernel becomes part of the kernels that call it. That is how a factory that closes over
    `rules` turns the geometry into constants: the exact search runs 1.7 times as fast.
    """
    return compiler.Kernel.of(function) if COMPILED else function
