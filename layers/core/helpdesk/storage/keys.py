"""Keys of the kinds of items that are not stored records (`storage.stored`). All are."""

from helpdesk.storage.item_key import REGISTRY, ItemKey, MalformedKey

__all__ = ["REGISTRY", "ItemKey", "MalformedKey"]
