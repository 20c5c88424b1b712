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
