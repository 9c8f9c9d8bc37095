"""The main text of pages by a Python library: extract_peer.py trafilatura|resiliparse FOLDER

Reads the pages FOLDER/*.html, prints one JSON object: the texts by name, and the CPU seconds for
all of them. Each page is read once before the clock starts, so that loading does not count.
"""
import json
import pathlib
import sys
import time

library, folder = sys.argv[1:]
pages = {path.stem: path.read_bytes() for path in sorted(pathlib.Path(folder).glob("*.html"))}

if library == "trafilatura":
    from trafilatura import extract

    def text_of(page):
        return extract(page.decode("utf-8", "replace"), include_comments=False) or ""

else:
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    def text_of(page):
        html = bytes_to_str(page, detect_encoding(page))
        return extract_plain_text(html, main_content=True, alt_texts=False)


def safely(page):
    try:
        return text_of(page)
    except Exception:
        return ""


for page in list(pages.values())[:20]:
    safely(page)
before = time.process_time()
texts = {name: safely(page) for name, page in pages.items()}
seconds = time.process_time() - before
print(json.dumps({"seconds": seconds, "texts": texts}))
