"""The whole template: template.yaml with what it includes, as CloudFormation sees it.

`make template` lints it, because cfn-lint doesn't follow AWS::Include. The tests read it with its
loops written out.
"""

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from samcli.lib.cfn_language_extensions.sam_integration import (  # type: ignore[import-untyped]
    process_template_for_sam_cli,
)
from samtranslator.yaml_helper import yaml_parse  # type: ignore[import-untyped]

ROOT = Path(__file__).resolve().parents[1]
_WHOLE = ROOT / ".local" / "template.yaml"


@cache
def included() -> dict[str, Any]:
    """Return template.yaml with its included files in their places; functions such as Fn::Sub stay as dicts."""
    parsed: dict[str, Any] = yaml_parse((ROOT / "template.yaml").read_text(encoding="utf-8"))
    return dict(_with_includes(parsed))


@cache
def expanded() -> dict[str, Any]:
    """Return the same with its loops written out."""
    # Without the parameters, whose defaults would stand where they are referred to.
    template: dict[str, Any] = process_template_for_sam_cli({**included(), "Parameters": {}})
    return template | {"Parameters": included()["Parameters"]}


def loops_written_out(path: Path) -> dict[str, Any]:
    """Return another template (template/monitoring.yaml) with its loops written out."""
    template: dict[str, Any] = process_template_for_sam_cli(yaml_parse(path.read_text(encoding="utf-8")))
    return template


def _with_includes(node: Any) -> Any:
    if isinstance(node, list):
        return [_with_includes(each) for each in node]
    if not isinstance(node, dict):
        return node
    own = {key: _with_includes(value) for key, value in node.items() if key != "Fn::Transform"}
    transform = node.get("Fn::Transform")
    if transform is None:
        return own
    snippet = (ROOT / transform["Parameters"]["Location"]).read_text(encoding="utf-8")
    return own | json.loads(snippet)


def main() -> None:
    """Write the whole template for the linters, without what template.yaml asks them to overlook."""
    template = copy.deepcopy(included())
    del template["Metadata"]
    monitoring = template["Resources"]["Monitoring"]["Properties"]
    monitoring["TemplateURL"] = str(ROOT / monitoring["TemplateURL"])
    text = yaml.dump(template, Dumper=_NoAliases, sort_keys=False, width=1000)
    _WHOLE.parent.mkdir(exist_ok=True)
    _WHOLE.write_text(text, encoding="utf-8")


class _NoAliases(yaml.SafeDumper):
    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - pyyaml asks it of each value
        return True


if __name__ == "__main__":
    main()
