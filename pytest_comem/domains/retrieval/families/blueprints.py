"""The blueprints of the shipped families: chains, branches that join, reuse, overlap, loops."""

from __future__ import annotations

from typing import Final

from pytest_comem.domains.retrieval.families.blueprint import Blueprint, parsed

BLUEPRINTS: Final = (
    Blueprint(
        "maker-birthplace",
        ("expedition",),
        "Where was the maker of the instrument born that the {A} took along?",
        parsed(
            """
            log: search voyages carried instrument A
            shop: search workshops carried instrument A
            instrument: resolve log shop
            plate: search workshops maker person instrument
            life: search lives maker person instrument
            maker: resolve plate life
            cradle: search lives birthplace place maker
            town: search places birthplace place maker
            answer: answer cradle town
            audit: audit maker answer
            bundle: bundle instrument maker answer audit
            verify: verify bundle
            """
        ),
    ),
    Blueprint(
        "book-leader-birthplace",
        ("book",),
        "Where was the leader of the expedition born that {A} tells of?",
        parsed(
            """
            page: search press subject expedition A
            expedition: resolve page
            log: search voyages leader person expedition
            leader: resolve log
            cradle: search lives birthplace place leader
            answer: answer cradle
            bundle: bundle answer
            audit: audit bundle
            verify: verify audit
            """
        ),
        split="development",
    ),
    Blueprint(
        "sponsor-keeper",
        ("expedition",),
        "Which place is home to the institution that paid for the {A} and keeps its instrument?",
        parsed(
            """
            purse: search voyages sponsor institution A
            log: search voyages carried instrument A
            instrument: resolve log
            shop: search workshops keeper institution instrument
            shelf: search houses keeper institution instrument
            keeper: resolve purse shop shelf
            door: search houses seat place keeper
            map: search places seat place keeper
            answer: answer door map
            audit_keeper: audit keeper
            audit_answer: audit answer
            bundle: bundle keeper answer audit_keeper audit_answer
            verify: verify bundle
            """
        ),
    ),
    Blueprint(
        "shared-instrument",
        ("instrument", "person"),
        "When did the expedition that took along the {A} and was led by {B} depart?",
        parsed(
            """
            log: search voyages carried expedition A
            shop: search workshops carried expedition A
            life: search lives leader expedition B
            order: search voyages leader expedition B
            expedition: resolve log shop life order
            calendar: search voyages departed year expedition
            answer: answer calendar
            audit: audit expedition answer
            bundle: bundle expedition answer audit
            verify: verify bundle
            """
        ),
        revisions=(("audit", "answer"),),
    ),
    Blueprint(
        "author-and-sponsor",
        ("book",),
        "Where is the institution at home that paid for the expedition of {A}, and who employed "
        "the author?",
        parsed(
            """
            title: search press author person A
            author: resolve title
            page: search press subject expedition A
            expedition: resolve page
            life: search lives post institution author
            roll: search houses post institution author
            employer: resolve life roll
            purse: search voyages sponsor institution expedition
            account: search houses sponsor institution expedition
            sponsor: resolve purse account
            map: search houses seat place sponsor
            answer: answer map
            audit: audit employer answer
            bundle: bundle employer sponsor answer audit
            verify: verify bundle
            """
        ),
    ),
    Blueprint(
        "keeper-founder",
        ("expedition",),
        "Who founded the institution that keeps the instrument of the {A}, and who built that?",
        parsed(
            """
            log: search voyages carried instrument A
            instrument: resolve log
            plate: search workshops maker person instrument
            life: search lives maker person instrument
            maker: resolve plate life
            shop: search workshops keeper institution instrument
            shelf: search houses keeper institution instrument
            keeper: resolve shop shelf
            charter: search houses founder person keeper
            answer: answer charter
            audit_maker: audit maker
            audit_answer: audit keeper answer
            bundle: bundle maker keeper answer audit_maker audit_answer
            verify: verify bundle audit_maker
            """
        ),
    ),
    Blueprint(
        "return-and-leader",
        ("expedition",),
        "Who employed the leader of the {A}, and where did the expedition come home?",
        parsed(
            """
            paper: search press port place A
            quay: search places port place A
            harbour: resolve paper quay
            notice: search press leader person A
            log: search voyages leader person A
            life: search lives leader person A
            leader: resolve notice log life
            career: search lives post institution leader
            roll: search houses post institution leader
            answer: answer career roll
            audit_harbour: audit harbour
            audit_answer: audit leader answer
            bundle: bundle harbour answer audit_harbour audit_answer
            verify: verify bundle
            """
        ),
        revisions=(("audit_answer", "answer"),),
    ),
    Blueprint(
        "maker-and-expedition",
        ("expedition", "person"),
        "Which institution keeps the instrument that {B} built and the {A} took along?",
        parsed(
            """
            life: search lives maker instrument B
            plate: search workshops maker instrument B
            log: search voyages carried instrument A
            instrument: resolve life plate log
            shop: search workshops keeper institution instrument
            shelf: search houses keeper institution instrument
            answer: answer shop shelf
            audit: audit instrument answer
            bundle: bundle instrument answer audit
            verify: verify bundle
            """
        ),
        split="development",
    ),
    Blueprint(
        "sponsor-and-leader",
        ("institution", "person"),
        "What was the aim of the expedition that the {A} paid for and {B} led?",
        parsed(
            """
            account: search houses sponsor expedition A
            purse: search voyages sponsor expedition A
            life: search lives leader expedition B
            expedition: resolve account purse life
            log: search voyages bound place expedition
            shore: search places bound place expedition
            answer: answer log shore
            audit: audit expedition answer
            bundle: bundle expedition answer audit
            verify: verify bundle audit
            """
        ),
        revisions=(("verify", "bundle"),),
    ),
    Blueprint(
        "instrument-cradle",
        ("instrument",),
        "Where was the maker of the {A} born?",
        parsed(
            """
            plate: search workshops maker person A
            maker: resolve plate
            cradle: search lives birthplace place maker
            town: search places birthplace place maker
            answer: answer cradle town
            audit: audit answer
            bundle: bundle answer audit
            verify: verify bundle
            """
        ),
        split="train",
    ),
    Blueprint(
        "book-instrument-year",
        ("book",),
        "When was the instrument of the expedition finished that {A} tells of, and who led it?",
        parsed(
            """
            page: search press subject expedition A
            expedition: resolve page
            log: search voyages carried instrument expedition
            shop: search workshops carried instrument expedition
            instrument: resolve log shop
            plate: search workshops finished year instrument
            answer: answer plate
            order: search voyages leader person expedition
            life: search lives leader person expedition
            leader: resolve order life
            audit_answer: audit answer
            audit_leader: audit leader
            bundle: bundle leader answer audit_answer audit_leader
            verify: verify bundle audit_answer
            """
        ),
    ),
    Blueprint(
        "maker-keeper-founder",
        ("instrument",),
        "Who founded the institution that keeps the {A}, and where was its maker born?",
        parsed(
            """
            plate: search workshops maker person A
            life: search lives maker person A
            letter: search press maker person A
            maker: resolve plate life letter
            shop: search workshops keeper institution A
            shelf: search houses keeper institution A
            mail: search press keeper institution A
            keeper: resolve shop shelf mail
            cradle: search lives birthplace place maker
            town: search places birthplace place maker
            birthplace: resolve cradle town
            charter: search houses founder person keeper
            answer: answer charter
            audit_maker: audit maker birthplace
            audit_answer: audit keeper answer
            bundle: bundle birthplace answer audit_maker audit_answer
            verify: verify bundle
            """
        ),
    ),
)
