/**
 * What runs inside pages. Each is a constant: nothing of a page or a setting becomes part of code.
 *
 * `FIRST` and `IN_WORKERS` run in the world of the page, before its own scripts. The others run in
 * a world of their own: a page cannot change what `Array` or `querySelectorAll` mean to them.
 */

/** What would talk to anybody but us. */
const SOCKETS = `['WebSocket', 'WebSocketStream', 'WebTransport', 'RTCPeerConnection',
  'webkitRTCPeerConnection', 'EventSource', 'PaymentRequest', 'Notification']`;
const NO_SOCKETS = `for (const name of ${SOCKETS}) {
  try { delete globalThis[name]; } catch {}
}`;

/**
 * Takes it away from a worker that is stopped before its first script. There, Chromium adds what
 * needs a secure context (WebTransport) only later, if nothing has its name yet.
 */
export const IN_WORKERS = `for (const name of ${SOCKETS}) {
  try {
    delete globalThis[name];
    Object.defineProperty(globalThis, name, { value: undefined });
  } catch {}
}`;

/** Takes away what would talk to anybody but us, or wait for a person. */
export const FIRST = `(() => {
  ${NO_SOCKETS}
  const none = (of, name) => {
    try { Object.defineProperty(of, name, { get: () => undefined, configurable: false }); } catch {}
  };
  for (const name of ['serviceWorker', 'geolocation', 'clipboard', 'mediaDevices', 'usb', 'serial',
    'bluetooth', 'hid', 'credentials', 'wakeLock'])
    none(Navigator.prototype, name);
  try { Navigator.prototype.sendBeacon = () => false; } catch {}
  globalThis.print = () => {};
  // The page before may have left a name in the tab.
  if (globalThis.top === globalThis) globalThis.name = '';
})()`;

/** All roots of the page: the document, open shadow roots, documents of frames of its own site. */
const ROOTS = `const rootsOf = () => {
  const roots = [document];
  for (let i = 0; i < roots.length && roots.length < 500; i++) {
    const walker = document.createTreeWalker(roots[i], NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(), n = 0; node && n < 200000; node = walker.nextNode(), n++) {
      if (node.shadowRoot) roots.push(node.shadowRoot);
      else if (node.localName === 'iframe') {
        let inner = null;
        try { inner = node.contentDocument; } catch {}
        if (inner && inner.documentElement) roots.push(inner);
      }
    }
  }
  return roots;
};`;

/** Longer URLs are no links: a page could fill the memory with a few of them. */
export const LONGEST_URL = 8192;

/** The links that the page shows now, as absolute URLs. */
export const LINKS = `((most) => {
  ${ROOTS}
  const found = new Set();
  for (const root of rootsOf()) {
    for (const a of root.querySelectorAll('a[href], area[href]')) {
      if (found.size >= most) break;
      const href = typeof a.href === 'string' ? a.href : String(a.href && a.href.baseVal);
      if (href.length <= ${LONGEST_URL} && /^https?:/i.test(href)) found.add(href);
    }
  }
  return [...found];
})`;

/** Scrolls one screen down; whether there is more to come. */
export const SCROLL = `(() => {
  const at = document.scrollingElement || document.documentElement;
  if (!at) return false;
  const before = at.scrollTop;
  at.scrollTop = before + Math.max(400, 4 * innerHeight);
  dispatchEvent(new Event('scroll'));
  return at.scrollTop > before;
})()`;

/** The height of the page. */
export const HEIGHT = `(document.scrollingElement || document.documentElement || {}).scrollHeight`;

/** Clicks the first element of these that was not clicked yet; false when there is none. */
const clickFirst = (wanted: string): string => `(() => {
  const clicked = globalThis.__clicked || (globalThis.__clicked = new Set());
  for (const element of document.querySelectorAll(${JSON.stringify(wanted)})) {
    const name = element.getAttribute('href') || element.outerHTML.slice(0, 300);
    if (clicked.has(name) || element.closest('form')) continue;
    clicked.add(name);
    element.click();
    return true;
  }
  return false;
})()`;

/** Buttons outside of forms: they show more of the page. */
export const CLICK_BUTTON = clickFirst(
  'button, [role=button]:not(a[href]), [onclick]:not(a[href]), summary',
);

/** Links into a router of the page: each shows another page in its place. */
export const CLICK_ROUTE = clickFirst('a[href^="#/"], a[href^="#!"]');

/** The page as HTML, with the contents of open shadow roots, and the base of its links. */
export const HTML = `((most) => {
  ${ROOTS}
  const shadowRoots = rootsOf().filter((root) => root instanceof ShadowRoot);
  const root = document.documentElement;
  const isBlank = location.href === 'about:blank';
  if (!root) return { html: '', base: location.href, isBlank };
  const inner = shadowRoots.length > 0 && root.getHTML
    ? root.getHTML({ shadowRoots }) : root.innerHTML;
  const open = root.cloneNode(false).outerHTML.replace(/<\\/html>$/i, '');
  return { html: ('<!DOCTYPE html>' + open + inner + '</html>').slice(0, most),
    base: document.baseURI, isBlank };
})`;
