"""The migrations, in order. Add the next one at the end; never change or remove one that was released."""

from scripts.migrations.runner import Migration

MIGRATIONS: tuple[Migration, ...] = ()
