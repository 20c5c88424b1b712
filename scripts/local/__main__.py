"""What `make dev`, `make up`, `make down`, `make sam-local` and `make sam-invoke` run."""

import argparse
import sys
from pathlib import Path

from scripts.local import sam_local, stack
from scripts.local.progress import Problem, Progress
from scripts.local.settings import DEFAULT_PORT, settings_for


def main() -> int:
    """Run one of them; when it fails, print one line on standard error and return 1."""
    parser = argparse.ArgumentParser(
        prog="python -m scripts.local", description="The whole service on this machine."
    )
    parser.add_argument("action", choices=["dev", "up", "down", "sam-local", "sam-invoke"])
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="where the emulator listens")
    parser.add_argument("--parameters", default="", help='template parameters: "Name=value Name=value"')
    parser.add_argument(
        "--model", default="", help="dev: a Bedrock model id, called with your AWS credentials"
    )
    parser.add_argument(
        "--services", default="", help="fake: stand-ins of services to connect, with pages to act on"
    )
    parser.add_argument(
        "--folder", type=Path, help="where the stack keeps everything; .local/<port> unless given"
    )
    parser.add_argument(
        "--auth", action="store_true", help="have the emulator enforce the functions' policies"
    )
    parser.add_argument("--api-port", type=int, default=3000, help="where sam local start-api listens")
    parser.add_argument(
        "--sam-flags", default="", help="more options for sam local, such as --skip-pull-image"
    )
    parser.add_argument("--event", type=Path, help="the event that sam-invoke passes to its function")
    given = parser.parse_args()
    if given.model and given.action != "dev":
        parser.error("MODEL works with `make dev` alone: the calls of Bedrock pass through its terminal.")
    progress = Progress()
    try:
        settings = settings_for(
            given.port,
            given.parameters,
            folder=given.folder and given.folder.resolve(),
            auth=given.auth,
            model=given.model,
            services=given.services,
        )
        if given.action == "down":
            stack.down(settings, progress)
        elif given.action == "dev":
            stack.dev(settings, progress)
        elif given.action == "sam-local":
            sam_local.start_api(settings, given.api_port, given.sam_flags, progress)
        elif given.action == "sam-invoke":
            sam_local.invoke(settings, given.event, given.sam_flags, progress)
        else:
            stack.welcome(settings, stack.up(settings, progress))
            stop = "make down" if given.port == DEFAULT_PORT else f"make down PORT={given.port}"
            print(f"\nIt took {progress.seconds():.0f} s. {stop} stops it.")
    except Problem as problem:
        print(problem, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nInterrupted. The next make continues from here.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
