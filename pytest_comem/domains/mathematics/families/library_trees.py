"""Theorems about trees and queues."""

from __future__ import annotations

from typing import Final

from pytest_comem.domains.mathematics.families.theorem import Theorem

TREES: Final = (
    Theorem(
        "mirror_mirror",
        "a tree mirrored twice is the tree again",
        "forall t : tree, mirror (mirror t) = t",
        "induction t as [| l IHl x r IHr]; simpl; auto. rewrite IHl, IHr. reflexivity.",
        draft=("forall x : nat, mirror (mirror (fork leaf x leaf)) = fork leaf x leaf", "auto."),
    ),
    Theorem(
        "size_mirror",
        "a mirrored tree has as many forks as before",
        "forall t : tree, size (mirror t) = size t",
        "induction t as [| l IHl x r IHr]; simpl; auto. rewrite IHl, IHr. lia.",
        draft=("forall x : nat, size (mirror (fork leaf x leaf)) = 1", "auto."),
    ),
    Theorem(
        "height_mirror",
        "a mirrored tree is as high as before",
        "forall t : tree, height (mirror t) = height t",
        "induction t as [| l IHl x r IHr]; simpl; auto. rewrite IHl, IHr. lia.",
    ),
    Theorem(
        "height_size",
        "no tree is higher than it has forks",
        "forall t : tree, height t <= size t",
        "induction t as [| l IHl x r IHr]; simpl; lia.",
        draft=("height leaf <= size leaf", "auto."),
    ),
    Theorem(
        "tree_join_assoc",
        "joining lists that come out of trees is associative",
        "forall a b c : list nat, join a (join b c) = join (join a b) c",
        "intros a b c. induction a as [| x rest IH]; simpl; auto. rewrite IH. reflexivity.",
        draft=("forall b c : list nat, join [] (join b c) = join (join [] b) c", "auto."),
    ),
    Theorem(
        "tree_turn_join",
        "turning joined lists of trees turns the parts and joins them the other way round",
        "forall a b : list nat, turn (join a b) = join (turn b) (turn a)",
        "intros a b. induction a as [| x rest IH]; simpl.\n"
        "- induction (turn b) as [| y more IHb]; simpl; congruence.\n"
        "- rewrite IH. rewrite tree_join_assoc. reflexivity.",
        ("tree_join_assoc",),
        draft=("forall b : list nat, turn (join [] b) = turn b", "auto."),
    ),
    Theorem(
        "spread_mirror",
        "the members of a mirrored tree are those of the tree, turned round",
        "forall t : tree, spread (mirror t) = turn (spread t)",
        "induction t as [| l IHl x r IHr]; simpl; auto.\n"
        "rewrite tree_turn_join. simpl. rewrite IHl, IHr. rewrite <- tree_join_assoc. reflexivity.",
        ("tree_turn_join", "tree_join_assoc"),
    ),
    Theorem(
        "tree_count_join",
        "joined lists of trees have as many members as their parts together",
        "forall a b : list nat, count_all (join a b) = count_all a + count_all b",
        "intros a b. induction a as [| x rest IH]; simpl; auto.",
        draft=("forall b : list nat, count_all (join [] b) = count_all b", "auto."),
    ),
    Theorem(
        "spread_count",
        "a tree spread out has as many members as it has forks",
        "forall t : tree, count_all (spread t) = size t",
        "induction t as [| l IHl x r IHr]; simpl; auto. rewrite tree_count_join. simpl. lia.",
        ("tree_count_join",),
    ),
    Theorem(
        "mirror_bounds",
        "mirrored trees are no higher than they have forks, and have as many forks as before",
        "forall t : tree, height (mirror t) <= size t /\\ size (mirror (mirror t)) = size t",
        "intros t. split.\n- rewrite <- size_mirror. apply height_size.\n"
        "- rewrite mirror_mirror. reflexivity.",
        ("size_mirror", "height_size", "mirror_mirror"),
    ),
)

QUEUES: Final = (
    Theorem(
        "queue_join_assoc",
        "joining the parts of queues is associative",
        "forall a b c : list nat, join (join a b) c = join a (join b c)",
        "intros a b c. induction a as [| x rest IH]; simpl; congruence.",
        draft=("forall c : list nat, join (join [] []) c = c", "auto."),
    ),
    Theorem(
        "queue_join_nil",
        "joining nothing behind a part of a queue changes nothing",
        "forall a : list nat, join a [] = a",
        "induction a as [| x rest IH]; simpl; congruence.",
        draft=("join [] [] = []", "auto."),
    ),
    Theorem(
        "enter_content",
        "what enters a queue stands last in it",
        "forall (x : nat) (q : queue), content (enter x q) = join (content q) [x]",
        "intros x [a b]. unfold content, enter. simpl. rewrite queue_join_assoc. reflexivity.",
        ("queue_join_assoc",),
        draft=("forall x : nat, content (enter x ([], [])) = [x]", "auto."),
    ),
    Theorem(
        "shift_content",
        "bringing the back of a queue to the front leaves its content as it is",
        "forall q : queue, content (shift q) = content q",
        "intros [a b]. destruct a as [| x rest]; unfold content, shift; simpl; auto.\n"
        "apply queue_join_nil.",
        ("queue_join_nil",),
        draft=("content (shift ([], [])) = content ([], [])", "auto."),
    ),
    Theorem(
        "leave_content",
        "what leaves a queue with something in front stood first in it",
        "forall (x : nat) (a b : list nat), content (leave (x :: a, b)) = join a (turn b)",
        "intros x a b. reflexivity.",
    ),
    Theorem(
        "enter_weight",
        "a queue that was entered is heavier by one",
        "forall (x : nat) (q : queue), weight (enter x q) = S (weight q)",
        "intros x [a b]. unfold weight, enter. simpl. lia.",
        draft=("forall x : nat, weight (enter x ([], [])) = 1", "auto."),
    ),
    Theorem(
        "enter_shift",
        "entering and then bringing the back to the front puts the new one last",
        "forall (x : nat) (q : queue), content (shift (enter x q)) = join (content q) [x]",
        "intros x q. rewrite shift_content. apply enter_content.",
        ("shift_content", "enter_content"),
    ),
    Theorem(
        "queue_laws",
        "whoever enters a queue stands last in it and makes it heavier by one",
        "forall (x : nat) (q : queue), "
        "content (shift (enter x q)) = join (content q) [x] /\\ weight (enter x q) = S (weight q)",
        "intros x q. split.\n- apply enter_shift.\n- apply enter_weight.",
        ("enter_shift", "enter_weight"),
    ),
)
