/**
 * Archived pages in a frame: a server on a port of its own, so that they have another origin than
 * the console, and may run and load nothing.
 *
 * Ensures   A page is served only under a random ticket that the API has given out, and with
 *           headers that forbid scripts, forms and every request. Only the console may frame it.
 */
import { randomBytes } from 'node:crypto';
import { type LoopbackServer, type Reply, serveLoopback } from '../net/loopback-server.ts';

interface FramedPage {
  readonly body: Uint8Array;
  readonly type: string;
}

/** Pages kept for frames; older ones are forgotten. */
const MOST_TICKETS = 32;
const IMAGE = /^\s*(image\/(?:png|jpeg|gif|webp|avif|bmp))\b/i;
const HTML = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i;
const CHARSET = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i;

export class FrameServer {
  readonly #pages = new Map<string, () => Promise<FramedPage>>();
  readonly #parents: () => string;
  #server!: LoopbackServer;

  private constructor(parents: () => string) {
    this.#parents = parents;
  }

  /** `parents` gives the origins that may frame pages, as a Content-Security-Policy has them. */
  static async open(host: string, stays: boolean, parents: () => string): Promise<FrameServer> {
    const frame = new FrameServer(parents);
    frame.#server = await serveLoopback(0, (path) => frame.#reply(path), { host, stays });
    return frame;
  }

  get port(): number {
    return this.#server.port;
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  /** The path under which a page can be framed for a while. */
  ticket(page: () => Promise<FramedPage>): string {
    const path = `/${randomBytes(18).toString('base64url')}`;
    this.#pages.set(path, page);
    const [oldest] = this.#pages.keys();
    if (this.#pages.size > MOST_TICKETS) this.#pages.delete(oldest);
    return path;
  }

  async #reply(path: string): Promise<Reply> {
    const page = this.#pages.get(path);
    if (!page) return { status: 404, text: 'This page is no longer here. Open it again.\n' };
    const { body, type } = await page();
    return {
      ...{ status: 200, text: body, type: safeType(type) },
      headers: {
        'content-security-policy': `sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors ${this.#parents()}`,
        'referrer-policy': 'no-referrer',
        'cross-origin-resource-policy': 'same-site',
      },
    };
  }
}

/** Only HTML and images are shown as such; everything else is text. */
function safeType(type: string): string {
  const image = IMAGE.exec(type)?.[1];
  if (image !== undefined) return image.toLowerCase();
  const charset = CHARSET.exec(type)?.[1];
  const kind = HTML.test(type) ? 'text/html' : 'text/plain';
  return charset === undefined ? kind : `${kind}; charset=${charset}`;
}
