"""Walks a site by <a href> alone: prints each URL found on the hosts of the seeds, once, after a
word for what it is: page, file, error, or the status it redirects with."""
import sys
import urllib.error
import urllib.request
from collections import deque
from html.parser import HTMLParser
from urllib.parse import urldefrag, urljoin, urlsplit, urlunsplit


class Links(HTMLParser):
    def __init__(self):
        super().__init__()
        self.base = None
        self.found = []

    def handle_starttag(self, tag, attributes):
        value = dict(attributes).get("href")
        if value is None:
            return
        if tag == "base" and self.base is None:
            self.base = value
        elif tag == "a":
            self.found.append(value)


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(NoRedirect)
seeds = sys.argv[1:]
hosts = {urlsplit(seed).netloc for seed in seeds}
seen = set(seeds)
queue = deque(seeds)


def join(base, reference):
    """RFC 3986, 5.2. Python's urljoin drops empty segments, which are part of a path."""
    near, far = urlsplit(base), urlsplit(reference)
    if far.scheme not in ("", near.scheme) or far.netloc or not far.path:
        return urljoin(base, reference)
    path = far.path
    if not path.startswith("/"):
        path = near.path.rsplit("/", 1)[0] + "/" + path
    kept = []
    parts = path.split("/")[1:]
    for part in parts:
        if part == "..":
            kept = kept[:-1]
        elif part != ".":
            kept.append(part)
    if parts[-1] in (".", ".."):
        kept.append("")
    return urlunsplit((near.scheme, near.netloc, "/" + "/".join(kept), far.query, ""))


def found(reference, base):
    try:
        url = urldefrag(join(base, reference.strip()))[0]
        parts = urlsplit(url)
    except ValueError:
        return
    if parts.scheme in ("http", "https") and parts.netloc in hosts and url not in seen:
        seen.add(url)
        queue.append(url)


while queue:
    url = queue.popleft()
    try:
        with opener.open(url.replace(" ", "%20"), timeout=60) as answer:
            body = answer.read()
            is_page = answer.headers.get_content_type() in ("text/html", "application/xhtml+xml")
            print("page" if is_page else "file", url)
            if not is_page:
                continue
            links = Links()
            links.feed(body.decode(answer.headers.get_content_charset() or "utf-8", "replace"))
            for reference in links.found:
                found(reference, urljoin(url, links.base or ""))
    except urllib.error.HTTPError as error:
        location = error.headers.get("Location")
        print(error.code if location else "error", url)
        if location:
            found(location, url)
    except (OSError, UnicodeError, ValueError):
        print("error", url)
