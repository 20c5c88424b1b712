"""MDX as Markdown: what a reader of the website sees stays, and nothing of the program around it."""

import textwrap
import time

import pytest

from helpdesk_files import mdx


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        (
            """
            <Tabs>
              <Tab title="npm">
                Text **b**.

                - one
                  - two
              </Tab>
              <TabItem value="y" label={'Yarn'}>
                ```sh
                yarn add
                  x
                ```
              </TabItem>
            </Tabs>
            After.
            """,
            """
            **npm**

            Text **b**.

            - one
              - two

            **Yarn**

            ```sh
            yarn add
              x
            ```

            After.
            """,
        ),
        (
            """
            <CardGroup cols={2}>
                <Card title="Sent" icon="check">
                    Handed over.
                </Card>
                <Card
                    title={`Read`}
                    href="/status/read"
                >
                    Opened.
                </Card>
                <Card title='Failed' href="failed" />
            </CardGroup>
            """,
            """
            **Sent**

            Handed over.

            **[Read](/status/read)**

            Opened.

            **[Failed](failed)**
            """,
        ),
        (
            """
            <div className="browser"><img src="a.png" /></div>
            * item **b**
            * other
            """,
            """
            <div className="browser"><img src="a.png" /></div>

            * item **b**
            * other
            """,
        ),
        (
            """
            Text.

                Indented text is **no code**.

            1. A list

                with a paragraph

                ```sh
                    code
                ```

                and more
            """,
            """
            Text.

            Indented text is **no code**.

            1. A list

                with a paragraph

                ```sh
                    code
                ```

                and more
            """,
        ),
        (
            """
            A sentence with <Icon title="star" /> and <Note>text</Note>.

            ```x``` begins this line.

            <Note title="Mind">this</Note>
            """,
            """
            A sentence with  and text.

            ```x``` begins this line.

            **Mind**

            this
            """,
        ),
        (
            """
            export const Box = () => (
              <div>
                code
              </div>
            );

            Text.
            """,
            """
            Text.
            """,
        ),
    ],
)
def test_what_readers_see_stays(text: str, markdown: str) -> None:
    made = mdx.as_markdown(textwrap.dedent(text))

    assert blocks(made) == blocks(textwrap.dedent(markdown))


def blocks(text: str) -> list[str]:
    """Return the lines without empty ones beside each other."""
    lines = [line.rstrip() for line in text.strip().split("\n")]
    return [line for line, before in zip(lines, ["", *lines], strict=False) if line or before]


MDX = """import Tabs from '@theme/Tabs'
import {
  A,
} from 'b'

# Heading

export const size = 3

<Tabs values={[{label: 'a > b', value: "x"}]}>
<TabItem value="one">

Inside **one**.

</TabItem>
</Tabs>

{/* a
comment */}
Use `<Tag>` and <b>html</b>.

```jsx
import x from 'y'
<Kept />
```
"""


def test_components_go_and_what_is_between_them_stays() -> None:
    made = mdx.as_markdown(MDX)

    assert "Inside **one**." in made
    assert "Use `<Tag>` and <b>html</b>." in made
    assert "```jsx\nimport x from 'y'\n<Kept />\n```" in made
    for gone in ("@theme", "TabItem", "values=", "comment", "export const"):
        assert gone not in made


HOSTILE = [
    "<A ",
    "<A {",
    "<A x='",
    "{/*",
    "<A {{",
    "import x\n",
    "<A>\n",
    "</A>\n",
    "``` `\n",
    "    <A title='",
    "- \n    ",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_hostile_text_is_read_in_linear_time(piece: str) -> None:
    text = piece * (300_000 // len(piece))
    started = time.process_time()
    mdx.as_markdown(text)

    assert time.process_time() - started < 2
