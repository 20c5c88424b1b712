"""The pages of help sites: /site/<slug of an organization>/ and what is below it.

What visitors write with, the feedback board and the way to the team, is imported with the first such page: most starts
of this function are for someone who reads an article.
"""

from helpdesk.api.admission.anonymous import AddressLimit
from helpdesk.api.http.content import Content
from helpdesk.platform.settings import declare
from helpdesk.site import articles, assets, board_reads, folders, framing, machine_files
from helpdesk.site.router import Pages
from helpdesk.site.visit import Visit

NEEDS = declare("BASE_URL", "LIVE_URL", "KNOWLEDGE_BUCKET", "SEARCH_BUCKET", "FILES_BUCKET", "MAIL_FROM")

pages = Pages()


@pages.get("/", reads=folders.tree_key)
def show_home(visit: Visit) -> Content:
    """Show the home page."""
    return folders.show_home(visit)


@pages.get("/folders/<name>", reads=folders.tree_key)
def show_folder(visit: Visit, name: str) -> Content:
    """Show what a folder has."""
    return folders.show(visit, name)


@pages.get("/articles/<name>", reads=articles.keys_of)
def show_article(visit: Visit, name: str) -> Content:
    """Show a document, or its Markdown."""
    return articles.show(visit, name)


@pages.get("/articles/<name>/images/<image>", reads=articles.keys_of)
def show_image(visit: Visit, name: str, image: str) -> Content:
    """Return an image that a mirrored document shows."""
    return articles.show_image(visit, name, image)


@pages.post("/articles/<name>/rating", limit=AddressLimit.SITE_FORMS, reads=articles.keys_of)
def rate_article(visit: Visit, name: str) -> Content:
    """Count whether an article helped."""
    return articles.rate(visit, name)


@pages.get("/board", reads=board_reads.settings_key)
def show_board(visit: Visit) -> Content:
    """Show the posts of the feedback board."""
    from helpdesk.site import board

    return board.show_list(visit)


@pages.get("/board/roadmap", reads=board_reads.settings_key)
def show_roadmap(visit: Visit) -> Content:
    """Show the posts by their status."""
    from helpdesk.site import board

    return board.show_roadmap(visit)


@pages.get("/board/sent", reads=board_reads.settings_key)
def show_sent(visit: Visit) -> Content:
    """Show what happens with a post that the team looks at first."""
    from helpdesk.site import board

    return board.show_sent(visit)


@pages.get("/board/new", reads=board_reads.settings_key)
def show_new_post(visit: Visit) -> Content:
    """Show the form of a new post."""
    from helpdesk.site import board

    return board.show_new(visit)


# The forms take from the buckets of network addresses themselves, to show what was typed again.
@pages.post("/board/new", limit=AddressLimit.OWN, reads=board_reads.settings_key)
def submit_post(visit: Visit) -> Content:
    """Add a post."""
    from helpdesk.site import board

    return board.submit(visit)


@pages.get("/board/<post>", reads=board_reads.post_keys)
def show_post(visit: Visit, post: str) -> Content:
    """Show a post with its comments."""
    from helpdesk.site import board

    return board.show_post(visit, post)


@pages.post("/board/<post>/vote", limit=AddressLimit.OWN, reads=board_reads.post_keys)
def vote(visit: Visit, post: str) -> Content:
    """Vote for a post, or withdraw the vote."""
    from helpdesk.site import board

    return board.vote(visit, post)


@pages.post("/board/<post>/comments", limit=AddressLimit.OWN, reads=board_reads.post_keys)
def comment(visit: Visit, post: str) -> Content:
    """Add a comment to a post."""
    from helpdesk.site import board

    return board.comment(visit, post)


@pages.get("/contact")
def show_contact(visit: Visit) -> Content:
    """Show the form for a message, and the visitor's conversations."""
    from helpdesk.site import contact

    return contact.show(visit)


# The chat widget has the same routes below /widget.
@pages.post("/contact", limit=AddressLimit.OWN)
@pages.post("/widget", limit=AddressLimit.OWN, of_widget=True, reads=framing.agent_key)
def send_message(visit: Visit) -> Content:
    """Write to the team."""
    from helpdesk.site import contact

    return contact.send(visit)


@pages.get("/contact/<conversation_id>")
@pages.get("/widget/<conversation_id>", of_widget=True, reads=framing.agent_key)
def show_thread(visit: Visit, conversation_id: str) -> Content:
    """Show a conversation."""
    from helpdesk.site import contact

    return contact.show_thread(visit, conversation_id)


@pages.post("/contact/<conversation_id>", limit=AddressLimit.OWN)
@pages.post("/widget/<conversation_id>", limit=AddressLimit.OWN, of_widget=True, reads=framing.agent_key)
def reply(visit: Visit, conversation_id: str) -> Content:
    """Write in a conversation."""
    from helpdesk.site import contact

    return contact.reply(visit, conversation_id)


@pages.get("/contact/<conversation_id>/state")
@pages.get("/widget/<conversation_id>/state", of_widget=True)
def show_state(visit: Visit, conversation_id: str) -> Content:
    """Return what changes with a conversation."""
    from helpdesk.site import contact

    return contact.state(visit, conversation_id)


@pages.post("/contact/<conversation_id>/live", limit=AddressLimit.PAGES)
@pages.post("/widget/<conversation_id>/live", limit=AddressLimit.PAGES, of_widget=True)
def follow_thread(visit: Visit, conversation_id: str) -> Content:
    """Return a token for live updates."""
    from helpdesk.site import contact

    return contact.live_token(visit, conversation_id)


@pages.post("/contact/<conversation_id>/rating", limit=AddressLimit.OWN)
@pages.post(
    "/widget/<conversation_id>/rating", limit=AddressLimit.OWN, of_widget=True, reads=framing.agent_key
)
def rate_conversation(visit: Visit, conversation_id: str) -> Content:
    """Rate a conversation."""
    from helpdesk.site import contact

    return contact.rate(visit, conversation_id)


@pages.get("/widget.js", always=True)
def show_widget_script(visit: Visit) -> Content:
    """Return the script of the chat widget."""
    from helpdesk.site import widget

    return widget.script(visit)


@pages.get("/widget", of_widget=True, reads=framing.agent_key)
def show_widget(visit: Visit) -> Content:
    """Show the visitor's open conversation in the chat widget, or the form for a message."""
    from helpdesk.site import widget

    return widget.show(visit)


@pages.get("/widget/unread", of_widget=True, reads=framing.agent_key)
def show_unread(visit: Visit) -> Content:
    """Return what the visitor has not read, for a panel that is closed."""
    from helpdesk.site import widget

    return widget.unread(visit)


@pages.post("/widget/files", limit=AddressLimit.SITE_FORMS, of_widget=True, reads=framing.agent_key)
def upload_in_widget(visit: Visit) -> Content:
    """Upload a file in the chat widget."""
    from helpdesk.site import attaching

    return attaching.upload(visit)


@pages.get("/rate/<token>", always=True)
def show_rating(visit: Visit, token: str) -> Content:
    """Show the stars of a conversation that goes by mail."""
    from helpdesk.site import mail_links

    return mail_links.show_rating(visit, token)


@pages.post("/rate/<token>", limit=AddressLimit.SITE_FORMS, always=True)
def rate_by_mail(visit: Visit, token: str) -> Content:
    """Rate a conversation that goes by mail."""
    from helpdesk.site import mail_links

    return mail_links.rate(visit, token)


@pages.get("/unsubscribe/<token>", always=True)
def show_notices(visit: Visit, token: str) -> Content:
    """Show whether a customer gets notices by mail."""
    from helpdesk.site import mail_links

    return mail_links.show_notices(visit, token)


# The servers of a mail provider send it for all of its users.
@pages.post("/unsubscribe/<token>", limit=AddressLimit.PAGES, always=True)
def unsubscribe(visit: Visit, token: str) -> Content:
    """Turn notices by mail off."""
    from helpdesk.site import mail_links

    return mail_links.set_notices(visit, token, off=True)


@pages.post("/unsubscribe/<token>/undo", limit=AddressLimit.PAGES, always=True)
def subscribe_again(visit: Visit, token: str) -> Content:
    """Turn notices by mail on again."""
    from helpdesk.site import mail_links

    return mail_links.set_notices(visit, token, off=False)


@pages.get("/robots.txt")
def show_robots(visit: Visit) -> Content:
    """Return what crawlers may read."""
    return machine_files.robots(visit)


@pages.get("/sitemap.xml", reads=board_reads.settings_key)
def show_sitemap(visit: Visit) -> Content:
    """Return the addresses of all pages."""
    return machine_files.sitemap(visit)


@pages.get("/llms.txt")
def show_llms(visit: Visit) -> Content:
    """Return the site for language models."""
    return machine_files.llms(visit)


@pages.get("/assets/<name>", always=True)
def show_asset(_: Visit, name: str) -> Content:
    """Return a style sheet of the theme, or a script."""
    return assets.serve(name)


@pages.get("/css/<name>", always=True)
def show_own_css(visit: Visit, name: str) -> Content:
    """Return the organization's own style sheet."""
    return assets.serve_own(visit.organization, name)


handler = pages.handler
