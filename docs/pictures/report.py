"""Take docs/pictures/report.png: four parts of the report page of the Heart Disease rule, side by side.

python docs/pictures/report.py [REPORT.html]

Without a page it makes one as `make demo` does, in some minutes. It needs playwright and Chromium.
"""

import shutil
import sys
import tempfile
from base64 import b64encode
from io import BytesIO
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
WIDTH = 560
SHARPNESS = 1.5
PATIENT = {"cp": "4", "ca": "2", "thal": "3"}
COLLAGE = """<!doctype html><style>
body {{ margin: 0; padding: 16px; background: #e3e7ec; display: flex; gap: 16px; width: max-content }}
div {{ display: flex; flex-direction: column; gap: 16px }}
img {{ display: block; width: {width}px; border-radius: 8px }}
</style><div><img src="{rule}"></div><div><img src="{calculator}"><img src="{plot}"><img src="{proofs}"></div>"""


def report(folder: Path) -> Path:
    """The page of the rule with its accuracy on rows not seen."""
    from crystalogic.cli.app import run

    table, model, page = (str(folder / name) for name in ("heart.csv", "model.json", "report.html"))
    run(["datasets", "heart", "--output", table])
    run(["fit", table, "--target", "disease", "--splits", "10", "--output", model, "--report", page, "--quiet"])
    return Path(page)


def part(page: Any, top: str, bottom: str) -> str:
    """The page from one element to another, as an image in an address; both ends included."""
    first, last = (page.locator(selector).bounding_box() for selector in (top, bottom))
    start, end = max(0, first["y"] - 8), last["y"] + last["height"] + 8
    clip = {"x": 0, "y": start, "width": WIDTH, "height": end - start}
    return "data:image/png;base64," + b64encode(page.screenshot(full_page=True, clip=clip)).decode()


def picture(address: str, browser: Any) -> bytes:
    page = browser.new_page(viewport={"width": WIDTH, "height": 1000}, device_scale_factor=SHARPNESS)
    page.goto(address)
    for column, value in PATIENT.items():
        page.get_by_label(column, exact=True).select_option(label=value)
    parts = {
        "rule": part(page, "header", "section[aria-labelledby=rule]"),
        "calculator": part(page, "#calculator", "#controls"),
        "plot": part(page, "#plot-calibration", "#plot-calibration-caption"),
        "proofs": part(page, "#proofs", "section[aria-labelledby=proofs] li.proof >> nth=2"),
    }
    collage = browser.new_page(device_scale_factor=SHARPNESS)  # another page: the policy of the report forbids images
    collage.set_content(COLLAGE.format(width=WIDTH, **parts))
    taken: bytes = collage.locator("body").screenshot()
    return taken


def main() -> None:
    from PIL import Image  # which matplotlib brings
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        page = Path(sys.argv[1]) if sys.argv[1:] else report(Path(folder))
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        taken = Image.open(BytesIO(picture(page.resolve().as_uri(), browser)))
        taken.convert("RGB").quantize(128).save(FOLDER / "report.png", optimize=True)  # a quarter of the bytes
        browser.close()


if __name__ == "__main__":
    main()
