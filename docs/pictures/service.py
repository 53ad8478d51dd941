"""Take docs/pictures/service.png: the page of a service, wide, and as a phone shows it.

python docs/pictures/service.py MODEL.json

It needs playwright, Pillow and Chromium, and `crystalogic[serve]`.
"""

import shutil
import subprocess
import sys
import time
from io import BytesIO
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

PORT = 8765
ROW = '{"cp": 4, "ca": 2, "thal": 7, "exang": 1, "slope": 2, "oldpeak": 1.8}'
SIZES = ((900, 1500), (390, 1500))


def main() -> None:
    from PIL import Image
    from playwright.sync_api import sync_playwright

    program = [sys.executable, "-m", "crystalogic", "serve", sys.argv[1], "--port", str(PORT)]
    service = subprocess.Popen(program, stdout=subprocess.DEVNULL)
    for _ in range(300):
        try:
            urlopen(f"http://127.0.0.1:{PORT}/health").close()
            break
        except URLError:
            time.sleep(0.2)
    taken = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for width, height in SIZES:
            page = browser.new_page(viewport={"width": width, "height": height})
            page.goto(f"http://127.0.0.1:{PORT}/")
            page.fill("#row", ROW)
            page.get_by_role("button", name="Explain").click()
            page.wait_for_selector("#answer:not([hidden])")
            taken.append(Image.open(BytesIO(page.screenshot(clip={"x": 0, "y": 0, "width": width, "height": height}))))
        browser.close()
    service.terminate()
    service.wait()
    both = Image.new("RGB", (sum(width for width, _ in SIZES) + 16, SIZES[0][1]), "#c9d0d8")
    both.paste(taken[0], (0, 0))
    both.paste(taken[1], (SIZES[0][0] + 16, 0))
    both.quantize(32).save(Path(__file__).with_suffix(".png"), optimize=True)


if __name__ == "__main__":
    main()
