"""Theorems about sums, powers, parity and binary digits."""

from __future__ import annotations

from typing import Final

from pytest_comem.domains.mathematics.families.theorem import Lean, Theorem

SUMS: Final = (
    Theorem(
        "gauss",
        "twice the sum of the numbers up to n is n times its successor",
        "forall n : nat, 2 * sum_to n = n * (n + 1)",
        "induction n as [| m IH]; simpl in *; nia.",
        lean=Lean(
            "∀ n : Nat, 2 * sumTo n = n * (n + 1)",
            "intro n\ninduction n with\n| zero => rfl\n"
            "| succ m ih => simp only [sumTo, Nat.mul_add, Nat.add_mul, ih]; omega",
        ),
        draft=("2 * sum_to 1 = 1 * (1 + 1)", "reflexivity."),
    ),
    Theorem(
        "odd_square",
        "the sum of the first n odd numbers is the square of n",
        "forall n : nat, sum_odd n = n * n",
        "induction n as [| m IH]; simpl in *; nia.",
        lean=Lean(
            "∀ n : Nat, sumOdd n = n * n",
            "intro n\ninduction n with\n| zero => rfl\n"
            "| succ m ih => simp only [sumOdd, Nat.mul_add, Nat.add_mul, ih]; omega",
        ),
        draft=("sum_odd 2 = 2 * 2", "reflexivity."),
    ),
    Theorem(
        "squares_closed",
        "six times the sum of the squares up to n is a product of three factors",
        "forall n : nat, 6 * sum_squares n = n * (n + 1) * (2 * n + 1)",
        "induction n as [| m IH]; simpl in *; nia.",
        draft=("6 * sum_squares 1 = 6", "reflexivity."),
    ),
    Theorem(
        "cubes_closed",
        "the sum of the cubes up to n is the square of the sum of the numbers",
        "forall n : nat, sum_cubes n = sum_to n * sum_to n",
        "induction n as [| m IH]; simpl; auto.\npose proof (gauss m) as G. rewrite IH. nia.",
        ("gauss",),
        draft=("sum_cubes 2 = sum_to 2 * sum_to 2", "reflexivity."),
    ),
    Theorem(
        "cubes_gauss",
        "four times the sum of the cubes is a square of a product",
        "forall n : nat, 4 * sum_cubes n = n * (n + 1) * (n * (n + 1))",
        "intros n. rewrite cubes_closed. rewrite <- gauss. nia.",
        ("cubes_closed", "gauss"),
    ),
    Theorem(
        "odd_gauss",
        "the sum of the first n odd numbers and n are twice the sum of the numbers up to n",
        "forall n : nat, sum_odd n + n = 2 * sum_to n",
        "intros n. rewrite odd_square, gauss. lia.",
        ("odd_square", "gauss"),
        Lean(
            "∀ n : Nat, sumOdd n + n = 2 * sumTo n",
            "intro n\nrw [odd_square, gauss, Nat.mul_add, Nat.mul_one]",
        ),
        draft=("sum_odd 1 + 1 = 2 * sum_to 1", "reflexivity."),
    ),
    Theorem(
        "sums_compared",
        "the odd numbers add up to no less than the numbers up to n",
        "forall n : nat, sum_to n <= sum_odd n",
        "intros n. pose proof (odd_gauss n). pose proof (gauss n). pose proof (odd_square n). nia.",
        ("odd_gauss", "gauss", "odd_square"),
    ),
)

POWERS: Final = (
    Theorem(
        "power_one",
        "every power of one is one",
        "forall n : nat, power 1 n = 1",
        "induction n as [| m IH]; simpl; lia.",
        lean=Lean(
            "∀ n : Nat, power 1 n = 1",
            "intro n\ninduction n with\n| zero => rfl\n| succ m ih => simp [power, ih]",
        ),
        draft=("power 1 0 = 1", "reflexivity."),
    ),
    Theorem(
        "power_add",
        "a power of a sum is the product of the powers",
        "forall b m n : nat, power b (m + n) = power b m * power b n",
        "intros b m n. induction m as [| k IH]; simpl; nia.",
        lean=Lean(
            "∀ b m n : Nat, power b (m + n) = power b m * power b n",
            "intro b m n\ninduction m with\n| zero => simp [power]\n"
            "| succ k ih => rw [Nat.succ_add]; simp [power, ih, Nat.mul_assoc]",
        ),
        draft=("forall b n : nat, power b (0 + n) = power b n", "reflexivity."),
    ),
    Theorem(
        "power_mul_base",
        "a power of a product is the product of the powers of its factors",
        "forall a b n : nat, power (a * b) n = power a n * power b n",
        "intros a b n. induction n as [| m IH]; simpl; nia.",
        draft=("forall a b : nat, power (a * b) 0 = 1", "reflexivity."),
    ),
    Theorem(
        "power_power",
        "a power of a power has the product as its exponent",
        "forall b m n : nat, power b (m * n) = power (power b n) m",
        "intros b m n. induction m as [| k IH]; simpl; auto.\n"
        "rewrite power_add. rewrite IH. reflexivity.",
        ("power_add",),
        Lean(
            "∀ b m n : Nat, power b (m * n) = power (power b n) m",
            "intro b m n\ninduction m with\n| zero => simp [power]\n"
            "| succ k ih => rw [Nat.succ_mul, power_add, ih]; simp [power, Nat.mul_comm]",
        ),
        draft=("forall b n : nat, power b (0 * n) = 1", "reflexivity."),
    ),
    Theorem(
        "row_two",
        "the powers of two below the nth add up to one less than the nth",
        "forall n : nat, row 2 n + 1 = power 2 n",
        "induction n as [| m IH]; simpl in *; lia.",
        draft=("row 2 1 + 1 = power 2 1", "reflexivity."),
    ),
    Theorem(
        "square_power",
        "the square of a power has twice the exponent",
        "forall b n : nat, power b (2 * n) = power b n * power b n",
        "intros b n. rewrite power_power. simpl. nia.",
        ("power_power",),
        Lean(
            "∀ b n : Nat, power b (2 * n) = power b n * power b n",
            "intro b n\nrw [power_power]\nsimp [power]",
        ),
    ),
    Theorem(
        "row_square",
        "one more than the powers of two below the double exponent is a square",
        "forall n : nat, row 2 (2 * n) + 1 = power 2 n * power 2 n",
        "intros n. rewrite row_two. apply square_power.",
        ("row_two", "square_power"),
    ),
)

PARITY: Final = (
    Theorem(
        "even_twice",
        "twice a number is even",
        "forall n : nat, is_even (twice n) = true",
        "induction n as [| m IH]; simpl; auto. rewrite IH. reflexivity.",
        lean=Lean(
            "∀ n : Nat, isEven (twice n) = true",
            "intro n\ninduction n with\n| zero => rfl\n| succ m ih => simp [twice, isEven, ih]",
        ),
        draft=("is_even (twice 1) = true", "reflexivity."),
    ),
    Theorem(
        "twice_add",
        "twice a number is the number added to itself",
        "forall n : nat, twice n = n + n",
        "induction n as [| m IH]; simpl; lia.",
        lean=Lean(
            "∀ n : Nat, twice n = n + n",
            "intro n\ninduction n with\n| zero => rfl\n| succ m ih => simp only [twice, ih]; omega",
        ),
        draft=("twice 1 = 1 + 1", "reflexivity."),
    ),
    Theorem(
        "even_add",
        "a sum is even if both or neither of its parts are",
        "forall m n : nat, is_even (m + n) = eqb (is_even m) (is_even n)",
        "intros m n. induction m as [| k IH]; simpl.\n- destruct (is_even n); reflexivity.\n"
        "- rewrite IH. destruct (is_even k), (is_even n); reflexivity.",
        draft=("forall n : nat, is_even (0 + n) = is_even n", "reflexivity."),
    ),
    Theorem(
        "even_mul",
        "a product is even if one of its factors is",
        "forall m n : nat, is_even (m * n) = is_even m || is_even n",
        "intros m n. induction m as [| k IH]; simpl; auto.\n"
        "rewrite even_add, IH. destruct (is_even k), (is_even n); reflexivity.",
        ("even_add",),
        draft=("forall n : nat, is_even (0 * n) = true", "reflexivity."),
    ),
    Theorem(
        "even_sum_twice",
        "a number added to itself is even",
        "forall n : nat, is_even (n + n) = true",
        "intros n. rewrite <- twice_add. apply even_twice.",
        ("twice_add", "even_twice"),
        Lean(
            "∀ n : Nat, isEven (n + n) = true",
            "intro n\nrw [← twice_add]\nexact even_twice n",
        ),
        draft=("is_even (1 + 1) = true", "reflexivity."),
    ),
    Theorem(
        "even_neighbours",
        "a number times its successor is even",
        "forall n : nat, is_even (n * S n) = true",
        "intros n. rewrite even_mul. simpl. destruct (is_even n); reflexivity.",
        ("even_mul",),
    ),
    Theorem(
        "even_both",
        "doubles and products of neighbours are even, and so is their sum",
        "forall m n : nat, is_even ((m + m) + n * S n) = true",
        "intros m n. rewrite even_add. rewrite even_sum_twice, even_neighbours. reflexivity.",
        ("even_add", "even_sum_twice", "even_neighbours"),
    ),
)

BINARY: Final = (
    Theorem(
        "next_worth",
        "the next numeral is worth one more",
        "forall d : digits, worth (next d) = S (worth d)",
        "induction d as [| r IH | r IH]; simpl; lia.",
        draft=("worth (next none) = 1", "reflexivity."),
    ),
    Theorem(
        "write_worth",
        "a number written down is worth what it was",
        "forall n : nat, worth (write n) = n",
        "induction n as [| m IH]; simpl; auto. rewrite next_worth. rewrite IH. reflexivity.",
        ("next_worth",),
        draft=("worth (write 2) = 2", "reflexivity."),
    ),
    Theorem(
        "add_worth",
        "the sum of two numerals is worth the sum of what they are worth",
        "forall a b : digits, worth (add_digits a b) = worth a + worth b",
        "induction a as [| r IH | r IH]; destruct b as [| s | s]; simpl; try lia.\n"
        "- rewrite IH. lia.\n- rewrite IH. lia.\n- rewrite IH. lia.\n"
        "- rewrite next_worth, IH. lia.",
        ("next_worth",),
        draft=("forall b : digits, worth (add_digits none b) = worth b", "reflexivity."),
    ),
    Theorem(
        "add_comm_worth",
        "numerals may be added in either order, for what the sum is worth",
        "forall a b : digits, worth (add_digits a b) = worth (add_digits b a)",
        "intros a b. rewrite !add_worth. lia.",
        ("add_worth",),
    ),
    Theorem(
        "add_written",
        "adding numbers that are written down adds the numbers",
        "forall m n : nat, worth (add_digits (write m) (write n)) = m + n",
        "intros m n. rewrite add_worth, !write_worth. reflexivity.",
        ("add_worth", "write_worth"),
        draft=("worth (add_digits (write 1) (write 1)) = 2", "reflexivity."),
    ),
    Theorem(
        "next_written",
        "the numeral after a written number is worth its successor",
        "forall n : nat, worth (next (write n)) = S n",
        "intros n. rewrite next_worth, write_worth. reflexivity.",
        ("next_worth", "write_worth"),
    ),
    Theorem(
        "double_written",
        "a low digit before a written number doubles it, as adding it to itself does",
        "forall n : nat, worth (low (write n)) = worth (add_digits (write n) (write n))",
        "intros n. rewrite add_written. simpl. rewrite write_worth. lia.",
        ("add_written", "write_worth"),
    ),
)
