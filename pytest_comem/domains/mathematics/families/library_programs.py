"""Theorems about expressions, sorting, search trees and functions."""

from __future__ import annotations

from typing import Final

from pytest_comem.domains.mathematics.families.theorem import Theorem

EXPRS: Final = (
    Theorem(
        "run_app",
        "a program in two parts runs its first part and then its second",
        "forall (p q : list instr) (s : list nat), run (p ++ q) s = run q (run p s)",
        "induction p as [| i rest IH]; intros q s; simpl; auto.",
        draft=(
            "forall (q : list instr) (s : list nat), run ([] ++ q) s = run q s",
            "reflexivity.",
        ),
    ),
    Theorem(
        "compile_run",
        "a compiled expression puts its value on the stack",
        "forall (e : expr) (s : list nat), run (compile e) s = value e :: s",
        "induction e as [n | a IHa b IHb | a IHa b IHb]; intros s; simpl; auto.\n"
        "- rewrite !run_app. rewrite IHa, IHb. reflexivity.\n"
        "- rewrite !run_app. rewrite IHa, IHb. reflexivity.",
        ("run_app",),
        draft=(
            "forall (n : nat) (s : list nat), run (compile (num n)) s = n :: s",
            "reflexivity.",
        ),
    ),
    Theorem(
        "lean_plus_value",
        "leaving out the addition of nought keeps the value",
        "forall a b : expr, value (lean_plus a b) = value a + value b",
        "intros a b. destruct a as [n | |]; simpl; auto. destruct n; reflexivity.",
        draft=("forall b : expr, value (lean_plus (num 0) b) = value b", "reflexivity."),
    ),
    Theorem(
        "lean_times_value",
        "leaving out the multiplication by one keeps the value",
        "forall a b : expr, value (lean_times a b) = value a * value b",
        "intros a b. destruct a as [n | |]; simpl; auto.\ndestruct n as [| [| k]]; simpl; lia.",
        draft=("forall b : expr, value (lean_times (num 1) b) = value b", "reflexivity."),
    ),
    Theorem(
        "simplify_value",
        "a simplified expression has the value of the expression",
        "forall e : expr, value (simplify e) = value e",
        "induction e as [n | a IHa b IHb | a IHa b IHb]; simpl; auto.\n"
        "- rewrite lean_plus_value. congruence.\n- rewrite lean_times_value. congruence.",
        ("lean_plus_value", "lean_times_value"),
        draft=("forall n : nat, value (simplify (num n)) = n", "reflexivity."),
    ),
    Theorem(
        "simplify_run",
        "a simplified and compiled expression puts the value of the expression on the stack",
        "forall (e : expr) (s : list nat), run (compile (simplify e)) s = value e :: s",
        "intros e s. rewrite compile_run, simplify_value. reflexivity.",
        ("compile_run", "simplify_value"),
    ),
)

SORTING: Final = (
    Theorem(
        "from_lower",
        "a list whose members begin at a bound begins at every lower bound, too",
        "forall (a b : nat) (l : list nat), a <= b -> from b l = true -> from a l = true",
        "intros a b l H. destruct l as [| x rest]; simpl; auto.\n"
        "rewrite !andb_true_iff, !Nat.leb_le. intuition lia.",
        draft=("forall a : nat, from a [] = true", "reflexivity."),
    ),
    Theorem(
        "put_from",
        "putting a number that is high enough into an ordered list keeps its order",
        "forall (l : list nat) (b x : nat), b <= x -> from b l = true -> from b (put x l) = true",
        "induction l as [| y rest IH]; intros b x H; simpl.\n"
        "- intros _. rewrite andb_true_iff, Nat.leb_le. auto.\n"
        "- destruct (x <=? y) eqn:E; simpl; rewrite !andb_true_iff, !Nat.leb_le.\n"
        "  + apply Nat.leb_le in E. intuition.\n"
        "  + apply Nat.leb_gt in E. intuition.",
        draft=(
            "forall b x : nat, b <= x -> from b [x] = true",
            "intros b x H. simpl. rewrite andb_true_iff, Nat.leb_le. auto.",
        ),
    ),
    Theorem(
        "sort_ordered",
        "a sorted list is in order",
        "forall l : list nat, ordered (sort l) = true",
        "unfold ordered. induction l as [| x rest IH]; simpl; auto.\napply put_from; auto. lia.",
        ("put_from",),
        draft=("ordered (sort [2; 1]) = true", "reflexivity."),
    ),
    Theorem(
        "put_times",
        "a number put into a list occurs there once more, and no other does",
        "forall (x y : nat) (l : list nat), "
        "times_in x (put y l) = (if x =? y then 1 else 0) + times_in x l",
        "intros x y l. induction l as [| z rest IH]; simpl; auto.\n"
        "destruct (y <=? z); simpl; auto. rewrite IH. lia.",
        draft=("forall x : nat, times_in x (put x []) = (if x =? x then 1 else 0) + 0", "auto."),
    ),
    Theorem(
        "sort_times",
        "every number occurs in a sorted list as often as before",
        "forall (x : nat) (l : list nat), times_in x (sort l) = times_in x l",
        "intros x l. induction l as [| y rest IH]; simpl; auto. rewrite put_times. congruence.",
        ("put_times",),
        draft=("forall x : nat, times_in x (sort []) = 0", "reflexivity."),
    ),
    Theorem(
        "sort_correct",
        "sorting brings a list in order and keeps its members",
        "forall l : list nat, ordered (sort l) = true /\\ "
        "forall x : nat, times_in x (sort l) = times_in x l",
        "intros l. split.\n- apply sort_ordered.\n- intros x. apply sort_times.",
        ("sort_ordered", "sort_times"),
    ),
)

SEARCH: Final = (
    Theorem(
        "store_has",
        "what was stored in a search tree is found in it",
        "forall (x : nat) (t : stree), has x (store x t) = true",
        "intros x t. induction t as [| l IHl y r IHr]; simpl.\n"
        "- rewrite Nat.ltb_irrefl. reflexivity.\n"
        "- destruct (x <? y) eqn:L; simpl.\n  + rewrite L. exact IHl.\n"
        "  + destruct (y <? x) eqn:G; simpl; rewrite L, G; auto.",
        draft=("has 1 (store 1 empty) = true", "reflexivity."),
    ),
    Theorem(
        "store_keeps",
        "what was found in a search tree is found after something was stored",
        "forall (x z : nat) (t : stree), has z t = true -> has z (store x t) = true",
        "intros x z t. induction t as [| l IHl y r IHr]; simpl; try discriminate.\n"
        "destruct (x <? y) eqn:L, (y <? x) eqn:G; simpl; "
        "destruct (z <? y) eqn:M, (y <? z) eqn:N; auto.",
        draft=(
            "forall x : nat, has x empty = true -> has x (store x empty) = true",
            "intros x H. discriminate H.",
        ),
    ),
    Theorem(
        "store_within",
        "storing a number between the bounds of a search tree keeps it in order",
        "forall (x : nat) (t : stree) (a b : nat), "
        "a <= x -> x < b -> within a b t = true -> within a b (store x t) = true",
        "intros x t. induction t as [| l IHl y r IHr]; intros a b A B; simpl.\n"
        "- intros _. rewrite !andb_true_iff, Nat.leb_le, Nat.ltb_lt. auto.\n"
        "- destruct (x <? y) eqn:L; simpl.\n"
        "  + apply Nat.ltb_lt in L. rewrite !andb_true_iff. intuition.\n"
        "  + apply Nat.ltb_ge in L. destruct (y <? x) eqn:G; simpl.\n"
        "    * apply Nat.ltb_lt in G. rewrite !andb_true_iff. intuition.\n"
        "    * rewrite !andb_true_iff. intuition.",
        draft=("within 0 2 (store 1 empty) = true", "reflexivity."),
    ),
    Theorem(
        "store_twice",
        "storing the same again changes nothing",
        "forall (x : nat) (t : stree), store x (store x t) = store x t",
        "intros x t. induction t as [| l IHl y r IHr]; simpl.\n"
        "- rewrite Nat.ltb_irrefl. reflexivity.\n"
        "- destruct (x <? y) eqn:L; simpl.\n  + rewrite L, IHl. reflexivity.\n"
        "  + destruct (y <? x) eqn:G; simpl; rewrite L, G; congruence.",
        draft=("store 1 (store 1 empty) = store 1 empty", "reflexivity."),
    ),
    Theorem(
        "store_both",
        "of two numbers stored one after the other both are found",
        "forall (x z : nat) (t : stree), "
        "has x (store z (store x t)) = true /\\ has z (store z (store x t)) = true",
        "intros x z t. split.\n- apply store_keeps. apply store_has.\n- apply store_has.",
        ("store_keeps", "store_has"),
    ),
    Theorem(
        "store_sound",
        "a search tree in order stays in order when a number is stored, and finds it",
        "forall (x b : nat) (t : stree), x < b -> within 0 b t = true -> "
        "within 0 b (store x t) = true /\\ has x (store x t) = true",
        "intros x b t B W. split.\n- apply store_within; auto. lia.\n- apply store_has.",
        ("store_within", "store_has"),
        draft=("within 0 1 (store 0 empty) = true /\\ has 0 (store 0 empty) = true", "auto."),
    ),
    Theorem(
        "store_sound_twice",
        "a search tree in order stays in order however often the same number is stored",
        "forall (x b : nat) (t : stree), x < b -> within 0 b t = true -> "
        "within 0 b (store x (store x t)) = true",
        "intros x b t B W. rewrite store_twice. apply store_sound; auto.",
        ("store_twice", "store_sound"),
    ),
)

FUNCTIONS: Final = (
    Theorem(
        "agree_equal",
        "functions that agree everywhere are equal",
        "forall f g : nat -> nat, agree f g -> f = g",
        "intros f g H. apply FunctionalExtensionality.functional_extensionality. exact H.",
        draft=("forall f : nat -> nat, agree f f -> f = f", "reflexivity."),
        axioms=("FunctionalExtensionality.functional_extensionality_dep",),
    ),
    Theorem(
        "agree_after",
        "composing with the function that keeps everything agrees with the function",
        "forall f : nat -> nat, agree (after f keep) f /\\ agree (after keep f) f",
        "intros f. split; intros x; reflexivity.",
        draft=("agree (after keep keep) keep", "intros x. reflexivity."),
    ),
    Theorem(
        "repeated_agree",
        "repeating a function agrees with applying it before instead of after",
        "forall (n : nat) (f : nat -> nat), "
        "agree (after f (repeated n f)) (after (repeated n f) f)",
        "induction n as [| m IH]; intros f x; simpl; auto.\n"
        "unfold after in *. f_equal. apply (IH f x).",
        draft=(
            "forall f : nat -> nat, agree (after f (repeated 0 f)) (after (repeated 0 f) f)",
            "intros f x. reflexivity.",
        ),
    ),
    Theorem(
        "repeated_add",
        "repeating a function a sum of times agrees with repeating it twice over",
        "forall (m n : nat) (f : nat -> nat), "
        "agree (repeated (m + n) f) (after (repeated m f) (repeated n f))",
        "induction m as [| k IH]; intros n f x; simpl; auto.\n"
        "unfold after in *. f_equal. apply (IH n f x).",
        draft=(
            "forall f : nat -> nat, agree (repeated (0 + 0) f) keep",
            "intros f x. reflexivity.",
        ),
    ),
    Theorem(
        "after_keep",
        "the function that keeps everything is neutral on both sides",
        "forall f : nat -> nat, after f keep = f /\\ after keep f = f",
        "intros f. destruct (agree_after f). split; apply agree_equal; assumption.",
        ("agree_equal", "agree_after"),
    ),
    Theorem(
        "repeated_commutes",
        "a function commutes with its repetitions",
        "forall (n : nat) (f : nat -> nat), after f (repeated n f) = after (repeated n f) f",
        "intros n f. apply agree_equal. apply repeated_agree.",
        ("agree_equal", "repeated_agree"),
    ),
    Theorem(
        "repeated_sum",
        "repetitions of a function add up",
        "forall (m n : nat) (f : nat -> nat), "
        "repeated (m + n) f = after (repeated m f) (repeated n f)",
        "intros m n f. apply agree_equal. apply repeated_add.",
        ("agree_equal", "repeated_add"),
    ),
)
