"""Single-instruction bit operations for kernels, with plain Python twins for the debugger."""

from typing import TYPE_CHECKING, Any

from fourlab.core.jit import COMPILED

MASK63 = (1 << 63) - 1

if TYPE_CHECKING or not COMPILED:

    def popcount(bits: int) -> int:
        """Count the bits that are set."""
        return int(bits).bit_count()

    def lowest_index(bits: int) -> int:
        """Return the index of the lowest set bit of a non-zero number."""
        return (int(bits) & -int(bits)).bit_length() - 1

    def multiply63(a: int, b: int) -> int:
        """Return the low 63 bits of a product that may wrap."""
        return int(a) * int(b) & MASK63

    def add63(a: int, b: int) -> int:
        """Return the low 63 bits of a sum that may wrap."""
        return int(a) + int(b) & MASK63

    def prefetch(words: Any, index: int) -> None:
        """Ask the processor to fetch a cache line of an array before it is needed."""

    def publish(numbers: Any, index: int, number: int) -> None:
        """Store a number so that a thread that sees it sees everything written before it."""
        numbers[index] = number

else:
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    @intrinsic
    def _prefetch(_context: Any, words: Any, index: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, arguments[0])
            address = builder.gep(array.data, [arguments[1]])
            pointer = builder.bitcast(address, ir.IntType(8).as_pointer())
            flag = ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [pointer.type, flag, flag, flag])
            function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
            builder.call(function, [pointer, flag(0), flag(3), flag(1)])  # read, keep, data
            return context.get_dummy_value()

        return types.void(words, types.int64), emit

    @intrinsic
    def _publish(_context: Any, numbers: Any, index: Any, number: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = signature.args[0]
            array = context.make_array(kind)(context, builder, arguments[0])
            address = builder.gep(array.data, [arguments[1]])
            value = context.cast(builder, arguments[2], types.int64, kind.dtype)
            builder.store_atomic(value, address, "release", kind.dtype.bitwidth // 8)
            return context.get_dummy_value()

        return types.void(numbers, types.int64, types.int64), emit

    def _unary(build: Any) -> Any:
        @intrinsic
        def operation(_context: Any, bits: Any) -> Any:
            def emit(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
                return build(builder, *arguments)

            return types.int64(types.int64), emit

        return operation

    def _wrapping(build: Any) -> Any:
        @intrinsic
        def operation(_context: Any, a: Any, b: Any) -> Any:
            def emit(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
                mask = context.get_constant(types.int64, MASK63)
                return builder.and_(build(builder, *arguments), mask)

            return types.int64(types.int64, types.int64), emit

        return operation

    popcount = _unary(lambda builder, bits: builder.ctpop(bits))
    lowest_index = _unary(lambda builder, bits: builder.cttz(bits, cgutils.true_bit))
    multiply63 = _wrapping(lambda builder, a, b: builder.mul(a, b))
    add63 = _wrapping(lambda builder, a, b: builder.add(a, b))
    prefetch = _prefetch
    publish = _publish
