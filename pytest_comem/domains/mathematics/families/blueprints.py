"""The blueprints of the shipped families: chains, branches that join, reuse, overlap, loops."""

from __future__ import annotations

from typing import Final

from pytest_comem.domains.mathematics.families.blueprint import Blueprint, parsed

_FUNEXT: Final = "FunctionalExtensionality.functional_extensionality_dep"

BLUEPRINTS: Final = (
    Blueprint(
        "list-reversal",
        "Lists",
        "A list turned round twice is the list again",
        parsed(
            """
            nil: join_nil
            assoc: join_assoc
            swap: turn_join < nil assoc
            main: turn_turn < swap
            axioms: audit swap main
            all: bundle main axioms
            check: verify all
            """
        ),
        lean=True,
    ),
    Blueprint(
        "list-measures",
        "Lists",
        "Turning a list round twice keeps the number and the total of its members",
        parsed(
            """
            counts: count_join
            count: count_turn < counts
            totals: total_join
            total: total_turn < totals
            main: measures_turn < count total
            axioms: audit count total main
            all: bundle main axioms
            check: verify all
            """
        ),
        lean=True,
    ),
    Blueprint(
        "tree-mirrors",
        "Trees",
        "The members of a mirrored tree come in the opposite order",
        parsed(
            """
            assoc: tree_join_assoc
            swap: tree_turn_join < assoc
            main: spread_mirror < swap assoc
            axioms: audit main
            all: bundle main axioms
            check: verify all
            """
        ),
        revisions=(("check", "main"),),
    ),
    Blueprint(
        "accumulators",
        "Folds",
        "Turning a list with an empty accumulator is turning it",
        parsed(
            """
            assoc: fold_join_assoc
            onto: turn_onto_join < assoc
            nil: fold_join_nil
            main: turn_onto_nil < onto nil
            axioms: audit onto main
            all: bundle main axioms
            check: verify all
            """
        ),
        lean=True,
        split="development",
    ),
    Blueprint(
        "accumulated-measures",
        "Folds",
        "Counting and adding up with accumulators come out right",
        parsed(
            """
            total: total_onto_total
            count: count_onto_count
            main: measures_onto < count total
            axioms: audit main
            all: bundle main axioms
            check: verify all
            """
        ),
        lean=True,
        split="train",
    ),
    Blueprint(
        "queues",
        "Queues",
        "A queue of two lists lets in at its end, even when it is brought to the front",
        parsed(
            """
            assoc: queue_join_assoc
            enter: enter_content < assoc
            nil: queue_join_nil
            shift: shift_content < nil
            main: enter_shift < shift enter
            axioms: audit enter shift main
            all: bundle main axioms
            check: verify all
            """
        ),
    ),
    Blueprint(
        "sums",
        "Sums",
        "Cubes, odd numbers and the sum of the numbers up to n",
        parsed(
            """
            gauss: gauss
            odd: odd_square
            both: odd_gauss < odd gauss
            cubes: cubes_closed < gauss
            main: cubes_gauss < cubes gauss
            axioms: audit both main
            all: bundle both main axioms
            check: verify all
            """
        ),
    ),
    Blueprint(
        "powers",
        "Powers",
        "The powers of two below a double exponent add up to a square less one",
        parsed(
            """
            add: power_add
            power: power_power < add
            square: square_power < power
            row: row_two
            main: row_square < row square
            axioms: audit square main
            all: bundle main axioms
            check: verify all
            """
        ),
        revisions=(("all", "main"),),
    ),
    Blueprint(
        "parity",
        "Parity",
        "A number added to itself is even",
        parsed(
            """
            twice: even_twice
            double: twice_add
            main: even_sum_twice < double twice
            axioms: audit main
            all: bundle main axioms
            check: verify all
            """
        ),
        lean=True,
    ),
    Blueprint(
        "binary",
        "Binary",
        "Adding and doubling numbers that are written in binary digits",
        parsed(
            """
            next: next_worth
            write: write_worth < next
            add: add_worth < next
            sum: add_written < add write
            main: double_written < sum write
            axioms: audit sum main
            all: bundle main axioms
            check: verify all
            """
        ),
    ),
    Blueprint(
        "compiler",
        "Exprs",
        "A simplified expression compiles to a program that gives its value",
        parsed(
            """
            parts: run_app
            compile: compile_run < parts
            plus: lean_plus_value
            times: lean_times_value
            simple: simplify_value < plus times
            main: simplify_run < compile simple
            axioms: audit compile simple main
            all: bundle main axioms
            check: verify all
            """
        ),
    ),
    Blueprint(
        "sorting",
        "Sorting",
        "Sorting by insertion brings a list in order and keeps its members",
        parsed(
            """
            put: put_from
            order: sort_ordered < put
            times: put_times
            kept: sort_times < times
            main: sort_correct < order kept
            axioms: audit order kept
            all: bundle main axioms
            check: verify all
            """
        ),
        revisions=(("check", "main"), ("main", "kept")),
    ),
    Blueprint(
        "functions",
        "Functions",
        "Repetitions of a function commute with it and add up",
        parsed(
            """
            equal: agree_equal
            agree: repeated_agree
            commute: repeated_commutes < equal agree
            add: repeated_add
            main: repeated_sum < equal add
            axioms: audit commute main
            all: bundle commute main axioms
            check: verify all
            """
        ),
        axioms=(_FUNEXT,),
    ),
)
