"""The home page and the pages of folders."""

from collections.abc import Mapping, Sequence

from helpdesk.api.http.content import Content
from helpdesk.knowledge import publishing
from helpdesk.knowledge.folders import Tree
from helpdesk.site import contents, rendering
from helpdesk.site.articles import moved_to
from helpdesk.site.errors import PageNotFound
from helpdesk.site.links import folder_path, is_of
from helpdesk.site.visit import Visit
from helpdesk.storage.stored import Key

MOST_READ = 6


def tree_key(organization: str, _: Mapping[str, str]) -> Sequence[Key]:
    """Return the key of the tree of folders, which each page reads together with the site."""
    return [Tree.key_for(organization)]


def show_home(visit: Visit) -> Content:
    """Return the home page: the search, the folders, the documents in none, and what is read most."""
    shown = contents.load_contents(
        visit.organization, tree=publishing.tree_in(visit.organization, visit.found)
    )
    values = {
        "contents": shown,
        "place": "",
        "most_read": shown.most_read(MOST_READ),
        "canonical": visit.address("/"),
    }
    return rendering.page("home", visit, values, shared=True)


def show(visit: Visit, name: str) -> Content:
    """Return the page of a folder. Raises PageNotFound, also for a folder in which nothing is published."""
    shown = contents.load_contents(
        visit.organization, tree=publishing.tree_in(visit.organization, visit.found)
    )
    folder = next((each for each in shown.folders.values() if is_of(name, each)), None)
    if folder is None or folder.id not in shown.tree or not shown.count_in(folder.id):
        raise PageNotFound
    path = folder_path(folder)
    if visit.path.rstrip("/") != path and visit.link(path) != visit.root + visit.path.rstrip("/"):
        return moved_to(visit.link(path))
    values = {
        "contents": shown,
        "folder": folder,
        "place": folder.id,
        "crumbs": [(each.name, folder_path(each)) for each in shown.above(folder.id)[:-1]],
        "canonical": visit.address(path),
    }
    return rendering.page("folder", visit, values, title=folder.name, shared=True)
