"""``comem doctor``: memory systems."""

from __future__ import annotations

from typing import Annotated

import typer


def doctor(
    systems: Annotated[
        str, typer.Argument(metavar="SYSTEMS", help="Names as for --memory-system, such as mem0.")
    ],
    option: Annotated[
        list[str] | None,
        typer.Option(metavar="SYSTEM.KEY=VALUE", help="As --memory-option; several times."),
    ] = None,
    top_k: Annotated[str, typer.Option(metavar="N", help="As --comem-top-k.")] = "20",
    embedder: Annotated[str, typer.Option(metavar="NAME", help="As --comem-embedder.")] = "hash",
    memory_model: Annotated[
        str, typer.Option(metavar="NAME", help="As --comem-memory-model.")
    ] = "scripted",
    memory_api_base: Annotated[
        str, typer.Option(metavar="URL", help="As --comem-memory-api-base.")
    ] = "",
) -> None:
    """Show a memory system's effective configuration and try it on a handful of entries.

    Exit status 1 where something is not as it should be.
    """
    from pytest_comem.consultation import consult

    healthy = consult(
        systems,
        options=tuple(option or ()),
        top_k=top_k,
        embedder=embedder,
        memory_model=memory_model,
        memory_api_base=memory_api_base,
        say=typer.echo,
    )
    if not healthy:
        raise typer.Exit(1)
