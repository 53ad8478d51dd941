"""What the site needs beyond MkDocs: files that pages link to outside docs/, and a look at what the pages load.

A page may link to any file of the repository, as it does when it is read there. Such files come along under their own
path, and the links are turned to them. Long lines of transcripts are marked, so that they can be wrapped. After the
build no page and no style may load anything from elsewhere.
"""

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
TRANSCRIPT_LINE = re.compile(r'<span id="(__span-[\d-]+)">(<span class="g[po]">.*)$', re.MULTILINE)
LINK = re.compile(r"(\]\()([^)#\s]+)([^)]*\))")
LOADED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio|embed|object|input)\b[^>]*?\b(?:src|srcset|data)\s*=\s*["']?((?:https?:)?//[^"'\s>]+)"""
    r"""|<link\b(?![^>]*\brel=["']?canonical)[^>]*?\bhref\s*=\s*["']?((?:https?:)?//[^"'\s>]+)"""
    r"""|@import\s+(?:url\()?["']?((?:https?:)?//[^"')\s]+)"""
    r"""|\burl\(\s*["']?((?:https?:)?//[^"')\s]+)""",
    re.IGNORECASE,
)


def loaded_from_elsewhere(text: str) -> list[str]:
    """The addresses that a page or a style would load when it is opened; links to click are none of them.

    >>> loaded_from_elsewhere('<img src="a.png"><a href="https://example.org">x</a><script src=//example.org/a.js>')
    ['//example.org/a.js']
    """
    return [next(filter(None, groups)) for groups in LOADED.findall(text)]


def file_links(markdown: str, uri: str) -> Iterator[tuple[str, str]]:
    """The links of a page to files of the repository: as written, and as a path of the repository.

    `uri` is the page on the site: what stands in docs/ has its path there, what came along that of the repository.
    """
    folder = (PurePosixPath("docs", uri) if (ROOT / "docs" / uri).is_file() else PurePosixPath(uri)).parent
    for _, target, _ in LINK.findall(markdown):
        path = normpath(f"{folder}/{target}")
        if ":" not in target and (ROOT / path).is_file():
            yield target, path


def listed(nav: Any) -> Iterator[str]:
    """The paths in a navigation, in their order.

    >>> list(listed([{"Home": "index.md"}, {"Start": [{"Changes": "CHANGELOG.md"}, "start.md"]}]))
    ['index.md', 'CHANGELOG.md', 'start.md']
    """
    for each in [nav] if isinstance(nav, str) else nav.values() if isinstance(nav, dict) else nav:
        if isinstance(each, str):
            yield each
        else:
            yield from listed(each)


def on_files(files: Any, config: Any) -> Any:
    """Adds the files outside docs/ that the navigation lists or pages link to, and those that these link to."""
    from mkdocs.structure.files import File

    waiting = [(page.src_uri, Path(page.abs_src_path)) for page in files.documentation_pages()]

    def take_along(path: str) -> None:
        if not path.startswith("docs/") and files.get_file_from_path(path) is None:
            files.append(File.generated(config, path, abs_src_path=str(ROOT / path)))
            if path.endswith(".md"):
                waiting.append((path, ROOT / path))

    for path in listed(config["nav"]):
        if (ROOT / path).is_file():
            take_along(path)
    while waiting:
        uri, source = waiting.pop()
        for _, path in file_links(source.read_text(encoding="utf-8"), uri):
            take_along(path)
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Turns links to files of the repository to where these are on the site, and doctests into what is seen."""
    uri = page.file.src_uri
    for target, path in set(file_links(markdown, uri)):
        there = relpath(path.removeprefix("docs/"), str(PurePosixPath(uri).parent))
        markdown = markdown.replace(f"]({target}", f"]({there}")
    markdown = markdown.replace("<BLANKLINE>\n", "\n")
    return markdown.replace("```python\n>>> ", "```pycon\n>>> ")  # tells prompts from output, for the copy button


def with_sentences_marked(html: str) -> str:
    """Lines of a transcript that read as text get the class `sentence`: commands, messages, no columns of a table.

    >>> with_sentences_marked('<span id="__span-0-1"><span class="go">proved: a ⊗ b</span>')
    '<span id="__span-0-1" class="sentence"><span class="go">proved: a ⊗ b</span>'
    >>> with_sentences_marked('<span id="__span-0-1"><span class="go">  a    b  a ⊗ b</span>')
    '<span id="__span-0-1"><span class="go">  a    b  a ⊗ b</span>'
    """

    def marked(line: re.Match[str]) -> str:
        text = re.sub(r"<[^>]*>", "", line[2]).strip()
        return line[0] if "  " in text else f'<span id="{line[1]}" class="sentence">{line[2]}'

    return TRANSCRIPT_LINE.sub(marked, html)


def on_page_content(html: str, page: Any, config: Any, files: Any) -> str:
    """Marks what may be wrapped on a narrow screen."""
    return with_sentences_marked(html)


def on_post_build(config: Any) -> None:
    """Refuses a site that loads anything from elsewhere."""
    from mkdocs.exceptions import PluginError

    site = Path(config["site_dir"])
    for path in sorted(site.rglob("*")):
        if path.suffix in (".html", ".css", ".svg"):
            found = loaded_from_elsewhere(path.read_text(encoding="utf-8"))
            if found:
                message = f"{path.relative_to(site)} would load {found[0]} from elsewhere."
                raise PluginError(message)
