"""Theorems about lists and accumulators."""

from __future__ import annotations

from typing import Final

from pytest_comem.domains.mathematics.families.theorem import Lean, Theorem

LISTS: Final = (
    Theorem(
        "join_nil",
        "joining the empty list behind a list changes nothing",
        "forall l : list nat, join l [] = l",
        "induction l as [| x rest IH]; simpl.\n- reflexivity.\n- rewrite IH. reflexivity.",
        lean=Lean(
            "∀ l : List Nat, join l [] = l",
            "intro l\ninduction l with\n| nil => rfl\n| cons x rest ih => simp [join, ih]",
        ),
        draft=("join [] [] = []", "reflexivity."),
    ),
    Theorem(
        "join_assoc",
        "it does not matter which of three lists are joined first",
        "forall a b c : list nat, join a (join b c) = join (join a b) c",
        "intros a b c. induction a as [| x rest IH]; simpl.\n"
        "- reflexivity.\n- rewrite IH. reflexivity.",
        lean=Lean(
            "∀ a b c : List Nat, join a (join b c) = join (join a b) c",
            "intro a b c\ninduction a with\n| nil => rfl\n| cons x rest ih => simp [join, ih]",
        ),
        draft=(
            "forall (x : nat) (b c : list nat), join [x] (join b c) = join (join [x] b) c",
            "intros. reflexivity.",
        ),
    ),
    Theorem(
        "turn_join",
        "turning a joined list joins the turned parts the other way round",
        "forall a b : list nat, turn (join a b) = join (turn b) (turn a)",
        "intros a b. induction a as [| x rest IH]; simpl.\n"
        "- rewrite join_nil. reflexivity.\n- rewrite IH. rewrite join_assoc. reflexivity.",
        ("join_nil", "join_assoc"),
        Lean(
            "∀ a b : List Nat, turn (join a b) = join (turn b) (turn a)",
            "intro a b\ninduction a with\n| nil => simp [join, turn, join_nil]\n"
            "| cons x rest ih => simp [join, turn, ih, join_assoc]",
        ),
        draft=(
            "forall (a : list nat) (x : nat), turn (join a []) = join (turn []) (turn a)",
            "intros a x. induction a; simpl in *; congruence.",
        ),
    ),
    Theorem(
        "turn_turn",
        "a list turned round twice is the list again",
        "forall l : list nat, turn (turn l) = l",
        "induction l as [| x rest IH]; simpl.\n"
        "- reflexivity.\n- rewrite turn_join. rewrite IH. reflexivity.",
        ("turn_join",),
        Lean(
            "∀ l : List Nat, turn (turn l) = l",
            "intro l\ninduction l with\n| nil => rfl\n"
            "| cons x rest ih => simp [turn, turn_join, ih, join]",
        ),
        draft=("forall x : nat, turn (turn [x]) = [x]", "reflexivity."),
    ),
    Theorem(
        "count_join",
        "the number of members of a joined list is the sum of those of its parts",
        "forall a b : list nat, count_all (join a b) = count_all a + count_all b",
        "intros a b. induction a as [| x rest IH]; simpl; auto.",
        lean=Lean(
            "∀ a b : List Nat, countAll (join a b) = countAll a + countAll b",
            "intro a b\ninduction a with\n| nil => simp [join, countAll]\n"
            "| cons x rest ih => simp [join, countAll, ih]; omega",
        ),
        draft=(
            "forall (x : nat) (b : list nat), count_all (join [x] b) = S (count_all b)",
            "reflexivity.",
        ),
    ),
    Theorem(
        "count_turn",
        "a turned list has as many members as before",
        "forall l : list nat, count_all (turn l) = count_all l",
        "induction l as [| x rest IH]; simpl; auto.\nrewrite count_join. simpl. lia.",
        ("count_join",),
        Lean(
            "∀ l : List Nat, countAll (turn l) = countAll l",
            "intro l\ninduction l with\n| nil => rfl\n"
            "| cons x rest ih => simp [turn, count_join, countAll, ih]",
        ),
    ),
    Theorem(
        "each_join",
        "mapping over a joined list joins the mapped parts",
        "forall (f : nat -> nat) (a b : list nat), each f (join a b) = join (each f a) (each f b)",
        "intros f a b. induction a as [| x rest IH]; simpl; auto. rewrite IH. reflexivity.",
        lean=Lean(
            "∀ (f : Nat → Nat) (a b : List Nat), each f (join a b) = join (each f a) (each f b)",
            "intro f a b\ninduction a with\n| nil => rfl\n"
            "| cons x rest ih => simp [join, each, ih]",
        ),
        draft=(
            "forall (f : nat -> nat) (b : list nat), each f (join [] b) = join [] (each f b)",
            "reflexivity.",
        ),
    ),
    Theorem(
        "each_turn",
        "mapping and turning a list may change places",
        "forall (f : nat -> nat) (l : list nat), each f (turn l) = turn (each f l)",
        "intros f l. induction l as [| x rest IH]; simpl; auto.\n"
        "rewrite each_join. rewrite IH. reflexivity.",
        ("each_join",),
        Lean(
            "∀ (f : Nat → Nat) (l : List Nat), each f (turn l) = turn (each f l)",
            "intro f l\ninduction l with\n| nil => rfl\n"
            "| cons x rest ih => simp [turn, each, each_join, ih]",
        ),
    ),
    Theorem(
        "total_join",
        "the total of a joined list is the sum of the totals of its parts",
        "forall a b : list nat, total (join a b) = total a + total b",
        "intros a b. induction a as [| x rest IH]; simpl; lia.",
        lean=Lean(
            "∀ a b : List Nat, total (join a b) = total a + total b",
            "intro a b\ninduction a with\n| nil => simp [join, total]\n"
            "| cons x rest ih => simp [join, total, ih]; omega",
        ),
        draft=(
            "forall (x : nat) (b : list nat), total (join [x] b) = x + total b",
            "intros. simpl. lia.",
        ),
    ),
    Theorem(
        "total_turn",
        "turning a list round does not change its total",
        "forall l : list nat, total (turn l) = total l",
        "induction l as [| x rest IH]; simpl; auto.\nrewrite total_join. simpl. lia.",
        ("total_join",),
        Lean(
            "∀ l : List Nat, total (turn l) = total l",
            "intro l\ninduction l with\n| nil => rfl\n"
            "| cons x rest ih => simp [turn, total_join, total, ih]; omega",
        ),
    ),
    Theorem(
        "measures_turn",
        "a list turned round twice keeps number and total of its members",
        "forall l : list nat, count_all (turn (turn l)) = count_all l /\\ "
        "total (turn (turn l)) = total l",
        "intros l. split.\n- rewrite !count_turn. reflexivity.\n"
        "- rewrite !total_turn. reflexivity.",
        ("count_turn", "total_turn"),
        Lean(
            "∀ l : List Nat, countAll (turn (turn l)) = countAll l ∧ "
            "total (turn (turn l)) = total l",
            "intro l\nexact ⟨by rw [count_turn, count_turn], by rw [total_turn, total_turn]⟩",
        ),
    ),
)

FOLDS: Final = (
    Theorem(
        "fold_join_nil",
        "behind a list the empty list adds nothing",
        "forall l : list nat, join l [] = l",
        "induction l as [| x rest IH]; simpl; congruence.",
        lean=Lean(
            "∀ l : List Nat, join l [] = l",
            "intro l\ninduction l with\n| nil => rfl\n| cons x rest ih => simp [join, ih]",
        ),
        draft=("forall x : nat, join [x] [] = [x]", "auto."),
    ),
    Theorem(
        "fold_join_assoc",
        "three lists joined one after the other give one list, however they are grouped",
        "forall a b c : list nat, join (join a b) c = join a (join b c)",
        "intros a b c. induction a as [| x rest IH]; simpl; congruence.",
        lean=Lean(
            "∀ a b c : List Nat, join (join a b) c = join a (join b c)",
            "intro a b c\ninduction a with\n| nil => rfl\n| cons x rest ih => simp [join, ih]",
        ),
        draft=("forall b c : list nat, join (join [] b) c = join [] (join b c)", "auto."),
    ),
    Theorem(
        "turn_onto_join",
        "turning with an accumulator puts the turned list before the accumulator",
        "forall l acc : list nat, turn_onto l acc = join (turn l) acc",
        "induction l as [| x rest IH]; intros acc; simpl; auto.\n"
        "rewrite IH. rewrite fold_join_assoc. reflexivity.",
        ("fold_join_assoc",),
        Lean(
            "∀ l acc : List Nat, turnOnto l acc = join (turn l) acc",
            "intro l\ninduction l with\n| nil => intro acc; rfl\n"
            "| cons x rest ih => intro acc; simp [turnOnto, turn, ih, fold_join_assoc, join]",
        ),
        draft=("forall acc : list nat, turn_onto [] acc = join (turn []) acc", "auto."),
    ),
    Theorem(
        "turn_onto_nil",
        "turning with an empty accumulator is turning",
        "forall l : list nat, turn_onto l [] = turn l",
        "intros l. rewrite turn_onto_join. apply fold_join_nil.",
        ("turn_onto_join", "fold_join_nil"),
        Lean(
            "∀ l : List Nat, turnOnto l [] = turn l",
            "intro l\nrw [turn_onto_join, fold_join_nil]",
        ),
    ),
    Theorem(
        "total_onto_total",
        "adding up with an accumulator adds the accumulator to the total",
        "forall (l : list nat) (acc : nat), total_onto l acc = total l + acc",
        "induction l as [| x rest IH]; intros acc; simpl; auto. rewrite IH. lia.",
        lean=Lean(
            "∀ (l : List Nat) (acc : Nat), totalOnto l acc = total l + acc",
            "intro l\ninduction l with\n| nil => intro acc; simp [totalOnto, total]\n"
            "| cons x rest ih => intro acc; simp [totalOnto, total, ih]; omega",
        ),
        draft=("forall acc : nat, total_onto [] acc = total [] + acc", "auto."),
    ),
    Theorem(
        "count_onto_count",
        "counting with an accumulator adds the accumulator to the number of members",
        "forall (l : list nat) (acc : nat), count_onto l acc = count_all l + acc",
        "induction l as [| x rest IH]; intros acc; simpl; auto. rewrite IH. lia.",
        lean=Lean(
            "∀ (l : List Nat) (acc : Nat), countOnto l acc = countAll l + acc",
            "intro l\ninduction l with\n| nil => intro acc; simp [countOnto, countAll]\n"
            "| cons x rest ih => intro acc; simp [countOnto, countAll, ih]; omega",
        ),
        draft=("forall acc : nat, count_onto [] acc = count_all [] + acc", "auto."),
    ),
    Theorem(
        "measures_onto",
        "with accumulators of nought, number and total come out as they are",
        "forall l : list nat, count_onto l 0 = count_all l /\\ total_onto l 0 = total l",
        "intros l. rewrite count_onto_count, total_onto_total. lia.",
        ("count_onto_count", "total_onto_total"),
        Lean(
            "∀ l : List Nat, countOnto l 0 = countAll l ∧ totalOnto l 0 = total l",
            "intro l\nexact ⟨by rw [count_onto_count, Nat.add_zero], "
            "by rw [total_onto_total, Nat.add_zero]⟩",
        ),
    ),
)
