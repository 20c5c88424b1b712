"""SAM CLI, which with this also takes wheels for every version of glibc that Lambda's system has.

Its builder asks pip for the tags manylinux_2_17, 2_28 and 2_34 alone when it builds for another processor or system
than this machine's, and pip takes a tag literally, so it misses wheels for manylinux_2_24, such as those of arro3.
`make deploy` and the local stack build with this; its arguments are those of `sam`.
"""

from aws_lambda_builders.workflows.python_pip.packager import DependencyBuilder
from samcli.cli.main import cli  # type: ignore[import-untyped]

# Amazon Linux 2023, on which python3.13 runs, has glibc 2.34.
_NEWEST = 34
_OLDEST = 17
_MACHINES = {"arm64": "aarch64", "x86_64": "x86_64"}


def accept_every_glibc() -> None:
    """Let the builder ask for each tag up to the newest that Lambda's system takes, in place."""
    for architecture, machine in _MACHINES.items():
        tags: list[str] = DependencyBuilder._COMPATIBLE_PLATFORMS[architecture]  # noqa: SLF001 - no setting reaches it
        newest = tags.index(f"manylinux_2_{_NEWEST}_{machine}")
        between = (f"manylinux_2_{minor}_{machine}" for minor in range(_OLDEST, _NEWEST))
        tags[newest:newest] = [tag for tag in between if tag not in tags]


if __name__ == "__main__":
    accept_every_glibc()
    cli(prog_name="sam")
