"""How kernels are compiled: inside others without an optimised form of their own, and kept on disk.

numba optimises every function and turns it into machine code before its caller inlines it; here
that work is most of the waiting and is thrown away. So a kernel that another kernel calls is only
translated (`_Part`), and LLVM sees the whole once: the first move of `mcts` compiles in 5.3 s
instead of 9.7. What Python calls is compiled whole and cached.
"""

from __future__ import annotations

import itertools
import secrets
import time
from collections.abc import Callable
from typing import Any

from llvmlite import binding as llvm
from numba.core import bytecode, caching, codegen, compiler, event, types
from numba.core.compiler_machinery import register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering
from numba.core.types import unliteral  # type: ignore[attr-defined]

from fourlab.core import waiting
from fourlab.core.kernel_cache import KernelCache, folder_of

# Kernels allocate nothing, so that arrays need not be counted when they are handed on: a tree
# search runs 1.3 times as fast as with reference counts, learning several times.
PLAIN = {"nogil": True, "_nrt": False}
# Seconds that it must take to translate a part, with all that it calls, for it to be kept: the
# tree search of a second board compiles in 1.6 s instead of 3.5.
WORTH_KEEPING = 0.3
# numba names what it compiles by a count from 1 in every program. Parts that other programs keep
# are linked in by name: where two of different origin have one name, LLVM takes the first, and what
# only the second calls may be left out, a call to nowhere.
bytecode.FunctionIdentity._unique_ids = itertools.count(secrets.randbits(48))


class _PartLibrary(codegen.JITCodeLibrary):  # type: ignore[misc]  # numba is untyped to mypy
    """Code that is linked into its callers and never runs by itself."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        """Be ready to be linked; optimising is left to the caller, who sees the whole."""
        self._finalized = True

    @property
    def parts(self) -> list[Any]:
        """This and all that it calls, directly or not."""
        return list(dict.fromkeys([self, *self._linking_libraries]))


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):  # type: ignore[misc]
    """Translates a kernel for its callers alone."""

    _name = "fourlab_part_lowering"

    def run_pass(self, state: Any) -> bool:
        state.flags.no_compile = True
        state.library = _PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        super().run_pass(state)
        entry = object()  # what callers know it by; nothing to call
        state.targetctx.insert_user_function(entry, state["cr"].fndesc, state.library.parts)
        state["cr"] = state["cr"]._replace(cfunc=entry)
        return True


class _PartCompiler(compiler.CompilerBase):  # type: ignore[misc]
    def define_pipelines(self) -> list[Any]:
        passes = compiler.DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [
            (_PartLowering if one is NativeLowering else one, why) for one, why in passes.passes
        ]
        return [passes]


def _widest(kind: Any) -> Any:
    """Return the type that a number of this type is handed over as."""
    kind = unliteral(kind)
    if isinstance(kind, types.Integer):
        return types.int64
    return types.float64 if isinstance(kind, types.Float) else kind


class _PartImpl(caching.CompileResultCacheImpl):  # type: ignore[misc]
    """A part as data: its code with that of all parts it calls, not optimised."""

    def __init__(self) -> None:
        """Look for no place: that is the cache's business."""

    def check_cachable(self, cres: Any) -> bool:
        return True

    def reduce(self, cres: Any) -> Any:
        own, *others = cres.library.parts
        whole = own._final_module.clone()
        for part in others:
            whole.link_in(part._get_module_for_linking(), preserve=True)
        cres.fndesc.typemap = cres.fndesc.calltypes = None  # as numba does: nobody asks again
        return own.name, whole.as_bitcode(), cres.fndesc, cres.signature

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        name, bitcode, fndesc, signature = payload
        library = _PartLibrary(target_context.codegen(), name)
        library._final_module = llvm.parse_bitcode(bitcode)
        library.finalize()
        return compiler.compile_result(
            target_context=target_context,
            typing_context=target_context.typing_context,
            library=library,
            entry_point=object(),
            fndesc=fndesc,
            signature=signature,
            objectmode=False,
            lifted=(),
        )


class _Part(CPUDispatcher):  # type: ignore[misc]
    """A kernel as other kernels see it."""

    def add_overload(self, cres: Any) -> None:
        self.overloads[tuple(cres.signature.args)] = cres

    def compile(self, sig: Any) -> Any:
        """Translate it, or load it; what took long is kept for other kernels that call it."""
        before, began = self._cache_misses[sig], time.perf_counter()
        entry = super().compile(sig)
        is_new = self._cache_misses[sig] > before
        if is_new and time.perf_counter() - began > WORTH_KEEPING and self.keeps is not None:
            self.keeps.keep(sig, self.overloads[tuple(sig)])
        return entry

    keeps: KernelCache | None = None


class Kernel(CPUDispatcher):  # type: ignore[misc]
    """A kernel as Python calls it; other kernels take it in as a part."""

    part: _Part

    @classmethod
    def of(cls, function: Callable[..., Any]) -> Any:
        """Return the kernel of a function; nothing is compiled yet."""
        options = {"nopython": True, "forceinline": True, **PLAIN}
        made = cls(function, targetoptions=options)
        alone = {**options, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
        made.part = _Part(function, targetoptions=alone, pipeline_class=_PartCompiler)
        folder = folder_of(function)
        if folder is not None:
            made._cache = KernelCache(function, folder)
            if function.__closure__ is None:
                made.part.keeps = KernelCache(function, folder, _PartImpl())
                made.part._cache = made.part.keeps
        return made

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Answer a kernel that calls this one: one signature for all integers, one for all floats.

        Without that `select` of the tree search is compiled twice, `best_child` three times.
        """
        return self.part.get_call_template(tuple(_widest(kind) for kind in args), kws)

    def get_overload(self, sig: Any) -> Any:
        """Answer a kernel that calls this one."""
        return self.part.get_overload(sig)


class _Report(event.Listener):  # type: ignore[misc]
    """Tells what is compiled for Python; the parts that go into it are not told."""

    def on_start(self, event: Any) -> None:
        self._tell(event, True)

    def on_end(self, event: Any) -> None:
        self._tell(event, False)

    def _tell(self, event: Any, begins: bool) -> None:
        if isinstance(event.data["dispatcher"], Kernel):
            function = event.data["dispatcher"].py_func
            waiting.tell(function.__module__.removeprefix("fourlab."), begins)


event.register("numba:compile", _Report())
