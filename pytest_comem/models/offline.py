"""stub"""
from pytest_comem.models.base import Reader
from pytest_comem.core.replies import Reply
class OfflineReader(Reader):
    name = "offline"
    def answer(self, query, recall):
        if not recall.items:
            return Reply("refuse" if recall.withheld_for("unauthorized") else "no_memory", "Nothing about that is in memory.")
        return Reply("answer", recall.text)
