"""Take docs/pictures/choose.png: the chooser of the Heart Disease rules, with two of them side by side.

python docs/pictures/choose.py

It needs playwright and Chromium.
"""

import shutil
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent
WIDTH = 1000


def chooser(folder: Path) -> Path:
    """The page that docs/choose.md makes."""
    from crystalogic.cli.app import run

    table, model, page = (str(folder / name) for name in ("heart.csv", "model.json", "choose.html"))
    run(["datasets", "heart", "--output", table])
    run(["fit", table, "--target", "disease", "--output", model, "--quiet"])
    run(["choose", model, table, "--rows", "--output", page])
    return Path(page)


def main() -> None:
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": WIDTH, "height": 900})
        page.goto(chooser(Path(folder)).as_uri())
        page.locator("#list button", has_text="Compare").nth(2).click()
        page.evaluate("() => window.scrollTo(0, 0)")
        top = page.locator("#find").bounding_box() or {}
        bottom = page.locator("#difference").bounding_box() or {}
        clip = {"x": 0, "y": top["y"] - 8, "width": WIDTH, "height": bottom["y"] + bottom["height"] - top["y"] + 16}
        page.screenshot(path=FOLDER / "choose.png", full_page=True, clip=clip)
        browser.close()


if __name__ == "__main__":
    main()
