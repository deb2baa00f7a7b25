"""Products of a few rows with a few columns of a matrix, held in registers: what networks are.

Every sum runs over its products in one order, each rounded once: the same bits on every processor,
in every batch, whatever else is computed beside it.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from fourlab.core.jit import COMPILED

ROWS, LANES = 6, 16  # 12 registers of 256 bits, or 6 of 512: as many as hide the latency of a sum

if TYPE_CHECKING or not COMPILED:

    def add_products(
        sums: Any, numbers: Any, rows: Any, taps: Any, tap: int, end: int,
        inputs: int, weights: Any, weight: int,
    ) -> None:  # fmt: skip
        """Add to `sums` [ROWS * LANES] the products of ROWS rows with LANES columns of weights.

        A row's factors are `inputs` numbers from `rows[row] + taps[i]` on, for each i from `tap` up
        to `end`; the weights lie from `weight` on, LANES for each of them. All are float32.
        """
        begins = np.add.outer(rows, taps[tap:end])
        factors = numbers[np.add.outer(begins, np.arange(inputs))].reshape(ROWS, -1)
        columns = weights[weight : weight + factors.shape[1] * LANES].reshape(-1, LANES)
        sums += (factors @ columns).ravel()

else:
    from llvmlite import ir
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    INDEX, PLACE = ir.IntType(64), ir.IntType(32)
    VECTOR = ir.VectorType(ir.FloatType(), LANES)
    NOTHING = ir.Constant(VECTOR, ir.Undefined)

    def _vector_at(builder: Any, data: Any, index: Any) -> Any:
        return builder.bitcast(builder.gep(data, [index]), VECTOR.as_pointer())

    @intrinsic
    def add_products(
        _context: Any, sums: Any, numbers: Any, rows: Any, taps: Any, tap: Any, end: Any,
        inputs: Any, weights: Any, weight: Any,
    ) -> Any:  # fmt: skip
        """Emit the loops over taps and inputs with all sums in registers."""
        whole = types.int64
        given = types.void(sums, numbers, rows, taps, whole, whole, whole, weights, whole)

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            def data(index: int) -> Any:
                kind = signature.args[index]
                return context.make_array(kind)(context, builder, arguments[index]).data

            kind = ir.FunctionType(VECTOR, [VECTOR] * 3)
            fused = cgutils.get_or_insert_function(builder.module, kind, f"llvm.fma.v{LANES}f32")
            everywhere = ir.Constant(ir.VectorType(PLACE, LANES), [0] * LANES)
            places = [_vector_at(builder, data(0), INDEX(row * LANES)) for row in range(ROWS)]
            totals = [cgutils.alloca_once(builder, VECTOR) for _ in range(ROWS)]
            for place, total in zip(places, totals, strict=True):
                builder.store(builder.load(place, align=4), total)
            begins = [builder.load(builder.gep(data(2), [INDEX(row)])) for row in range(ROWS)]
            first, last, inputs = arguments[4], arguments[5], arguments[6]
            with cgutils.for_range(builder, builder.sub(last, first)) as outer:
                at = builder.gep(data(3), [builder.add(first, outer.index)])
                offset = builder.load(at)
                factors = [builder.gep(data(1), [builder.add(begin, offset)]) for begin in begins]
                passed = builder.mul(outer.index, inputs)
                with cgutils.for_range(builder, inputs) as inner:
                    column = builder.mul(builder.add(passed, inner.index), INDEX(LANES))
                    at = _vector_at(builder, data(7), builder.add(arguments[8], column))
                    column = builder.load(at, align=4)
                    for row, total in zip(factors, totals, strict=True):
                        number = builder.load(builder.gep(row, [inner.index]))
                        spread = builder.insert_element(NOTHING, number, PLACE(0))
                        spread = builder.shuffle_vector(spread, NOTHING, everywhere)
                        product = builder.call(fused, [spread, column, builder.load(total)])
                        builder.store(product, total)
            for place, total in zip(places, totals, strict=True):
                builder.store(builder.load(total), place, align=4)
            return context.get_dummy_value()

        return given, emit
