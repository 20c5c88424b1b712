"""The feedback board on the command line."""

from tests.support.api import Client
from tests.support.board import filed_signal, shown
from tests.support.cli import Cli


def test_a_post_is_written_listed_shown_changed_moderated_and_filed(owner: Cli, api: Client) -> None:
    assert owner.ok("board", "posts") == "There are no posts yet.\n"
    said = owner.ok("board", "write", "Dark theme", "--body", "My eyes hurt.")
    post = said.split()[-1]
    assert said == f"Wrote post 1: {post}\n"
    listed = owner.ok("board", "posts", "--state", "public", "--sort", "trending")
    assert listed.splitlines()[0].split() == ["NUMBER", "ID", "VOTES", "STATUS", "STATE", "CREATED", "TITLE"]
    assert "Dark theme" in listed
    assert owner.ok("board", "posts", "--status", "done") == "No posts match.\n"
    api.post(f"/v1/board/posts/{post}/comments", {"body": "Soon!"})
    text = owner.ok("board", "post", "1")
    assert "My eyes hurt." in text
    assert "Soon!" in text
    assert owner.json("board", "post", post) == shown(api, post)

    tag = api.patch("/v1/board", {"tags": [{"name": "UI"}]}).body["tags"][0]["id"]
    assert owner.ok("board", "set", post, "--status", "planned", "--tag", tag) == f"Changed {post}.\n"
    assert owner.ok("board", "moderate", post, "--state", "pending", "--pin") == f"Changed {post}.\n"
    organization = api.get("/v1/organization").body["id"]
    signal = filed_signal(organization)
    said = owner.ok("board", "file", post, "--signal", signal)
    assert said == f"The post is filed under {signal}.\n"
    now = shown(api, post)
    assert (now["statusId"], now["tagIds"], now["state"], now["pinned"]) == ("open", [tag], "pending", True)
    assert owner.ok("board", "file", post) == "The post is under no signal.\n"
    assert shown(api, post)["hasSignal"] is False
    assert owner.ok("board", "show").splitlines()[1].split() == ["board", "ideas", "Ideas", "1"]
    assert owner.json("board", "show") == api.get("/v1/board").body


def test_boards_statuses_and_tags_are_added_changed_moved_and_removed(owner: Cli, api: Client) -> None:
    def entries(kind: str) -> list[tuple[str, ...]]:
        rows = [line.split(maxsplit=3) for line in owner.ok("board", "show").splitlines()[1:]]
        return [(row[1], " ".join(row[2:])) for row in rows if row[0] == kind]

    said = owner.ok("board", "add", "board", "Bugs", "--moderated", "--before", "ideas")
    bugs = said.split()[-1].rstrip(".")
    assert said == f"Added the board {bugs}.\n"
    assert [each for each, _ in entries("board")] == [bugs, "ideas"]
    assert api.get("/v1/board").body["boards"][0]["moderated"] is True
    assert owner.ok("board", "change", bugs, "--not-moderated", "--name", "Problems", "--last")
    assert [each["name"] for each in api.get("/v1/board").body["boards"]] == ["Ideas", "Problems"]
    assert owner.ok("board", "remove", bugs) == f"Removed the board {bugs}.\n"

    review = owner.json(
        "board", "add", "status", "Review", "--signal-status", "in review", "--before", "done"
    )
    assert [each["name"] for each in review["statuses"]] == [
        "Open",
        "Planned",
        "In progress",
        "Review",
        "Done",
    ]
    status = review["statuses"][3]["id"]
    owner.ok("board", "change", status, "--signal-status", "none", "--before", "open")
    now = api.get("/v1/board").body["statuses"]
    assert (now[0]["id"], now[0]["signalStatus"], now[1]["signalStatus"]) == (status, None, "open")

    tag = owner.ok("board", "add", "tag", "UI").split()[-1].rstrip(".")
    post = owner.json("board", "write", "Dark theme")["id"]
    owner.ok("board", "set", post, "--tag", tag)
    assert owner.run("board", "remove", tag, stdin="n\n").exit_code == 1
    assert owner.ok("board", "remove", tag, "--yes") == f"Removed the tag {tag}.\n"
    assert shown(api, post)["tagIds"] == []


def test_what_the_settings_do_not_have_or_take_is_refused(owner: Cli) -> None:
    post = owner.json("board", "write", "Dark theme")["id"]
    for words, said in (
        (("board", "remove", "ideas"), "1 to 10 entries"),
        (("board", "remove", "open"), "helpdesk board show"),
        (("board", "remove", "nothing"), "helpdesk board show"),
        (("board", "add", "tag", "UI", "--before", "ideas"), "same list"),
        (("board", "uncomment", post, "cmt_unknown"), "helpdesk board comments"),
    ):
        refused = owner.run(*words)
        assert refused.exit_code == 1, words
        assert said in refused.stderr, (words, refused.stderr)
    for usage in (
        ("board", "change", "ideas"),
        ("board", "change", "ideas", "--signal-status", "open"),
        ("board", "change", "open", "--moderated"),
        ("board", "change", "open", "--before", "done", "--last"),
    ):
        assert owner.run(*usage).exit_code == 2, usage


def test_people_vote_and_comment_for_themselves_and_for_customers(owner: Cli, api: Client) -> None:
    post = owner.json("board", "write", "Dark theme")["id"]
    customer = api.post("/v1/customers", {"name": "Grace"}).body["id"]
    assert owner.ok("board", "vote", post) == f"{post} has 1 vote.\n"
    assert owner.ok("board", "vote", post, "--customer", customer) == f"{post} has 2 votes.\n"
    assert owner.ok("board", "unvote", post) == f"{post} has 1 vote.\n"
    assert owner.json("board", "unvote", post, "--customer", customer) == {
        "ok": True,
        "voted": False,
        "votes": 0,
    }

    assert owner.ok("board", "comments", post) == "There are no comments yet.\n"
    owner.ok("board", "comment", post, "Soon!")
    theirs = owner.json("board", "comment", post, "Please!", "--customer", customer)["id"]
    rows = owner.ok("board", "comments", post).splitlines()
    assert [row.split()[-2:] for row in rows[1:]] == [["Owner", "Soon!"], ["Grace", "Please!"]]
    assert owner.ok("board", "uncomment", post, theirs) == f"Deleted {theirs}.\n"
    assert len(owner.json("board", "comments", post)["comments"]) == 1

    assert owner.run("board", "delete", post, stdin="\n").exit_code == 1
    assert owner.ok("board", "delete", post, "--yes") == f"Deleted {post}.\n"
    assert owner.ok("board", "posts") == "There are no posts yet.\n"
