"""Which items an xdist worker has been given and not yet run.

The worker's queue is the only place that knows; it is public enough to be "inspected" by its own
documentation, but not a promised interface. Where it looks different, a worker plays one episode
at a time, which is slower and otherwise the same.
"""

from __future__ import annotations

import pytest


def queued_items(config: pytest.Config) -> list[pytest.Item]:
    """Return the items waiting in this worker's queue, in order."""
    for plugin in config.pluginmanager.get_plugins():
        queue = getattr(plugin, "torun", None)
        session = getattr(plugin, "session", None)
        if queue is None or session is None or not hasattr(queue, "lock"):
            continue
        with queue.lock() as waiting:
            indices = [index for index in waiting if isinstance(index, int)]
        following = getattr(plugin, "nextitem_index", None)
        if isinstance(following, int):
            indices.insert(0, following)
        return [session.items[index] for index in indices]
    return []
