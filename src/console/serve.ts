/**
 * Serves a console: one page, an HTTP API below `/api/v1`, events, and frames for archived pages.
 *
 *   /                        the page; with ?token=, it sets the cookie
 *   /api/v1/…                the table of routes
 *   /api/v1/openapi.json     the same as an OpenAPI file
 *   /api/v1/crawls/ID/events server-sent events
 *
 * Idea      What is shown is a table of routes and what they work with: the folders of crawls, or
 *           the book of a cluster. Everything else is the same.
 * Ensures   A request without the token, under another host name or from another site gets 403. A
 *           wrong request gets 400 with a sentence; none can end the process.
 */
import { createHash } from 'node:crypto';
import { type Clock, systemClock } from '../base/clock.ts';
import { DrumlinError, systemCode } from '../base/errors.ts';
import {
  isLoopback,
  LOOPBACK,
  type LoopbackServer,
  type Reply,
  type RequestFacts,
  serveLoopback,
} from '../net/loopback-server.ts';
import { Access, isToken, newToken } from './access.ts';
import { Feeds, type Watched } from './events.ts';
import { readFields, requestError } from './fields/schema.ts';
import { FrameServer } from './frame.ts';
import { STILL_READING } from './look/kept.ts';
import { openApi } from './openapi.ts';
import { RawAnswer, type Route } from './route.ts';

export interface ServeOptions {
  /** The page, as `npm run build` makes it. */
  readonly page: string;
  readonly port: number;
  readonly host?: string | undefined;
  /** Required where the host is not loopback. */
  readonly token?: string | undefined;
  /** The server keeps the process alive. */
  readonly stays?: boolean;
  readonly clock?: Clock;
}

/** What a console shows. */
interface Shown<Parts, Crawl> {
  readonly routes: readonly Route<Parts, Crawl>[];
  readonly parts: Parts;
  /** The crawl of a name in a path; refuses others with a sentence. */
  crawl(id: string): Promise<Crawl>;
  watched(crawl: Crawl): Watched;
  /** A path that is no route here, but is one elsewhere: the sentence says where. */
  missing?(path: string): DrumlinError | undefined;
  close(): Promise<void>;
}

export interface Console {
  readonly port: number;
  readonly framePort: number;
  /** The URL to open: it carries the token. */
  readonly url: string;
  close(): Promise<void>;
}

const API = '/api/v1';
const MOST_BODY = 256 * 1024;

export async function serve<Parts, Crawl>(
  options: ServeOptions,
  open: (frame: FrameServer) => Shown<Parts, Crawl>,
): Promise<Console> {
  const { host = LOOPBACK, stays = true, clock = systemClock } = options;
  const token = options.token ?? newToken();
  if (!isLoopback(host) && options.token === undefined) throw openWithoutToken(host);
  if (!isToken(token)) throw badToken();
  let server: LoopbackServer | undefined;
  const origins = () => ownOrigins(host, server?.port ?? 0);
  const frame = await FrameServer.open(host, stays, origins);
  const shown = open(frame);
  const feeds = new Feeds(clock);
  const access = new Access(token);
  const page = pageReply(options.page, host, frame.port);
  const reply = (path: string, query: string, request: RequestFacts) => {
    const port = server?.port ?? 0;
    const refused = access.refusal(query, port, request);
    if (refused) return refused;
    if (path === '/' && request.method !== 'GET') return NOT_FOUND;
    if (path === '/')
      return access.opens(query)
        ? { ...page, headers: { ...page.headers, 'set-cookie': access.cookie(port) } }
        : page;
    return answered(shown, feeds, path, query, request);
  };
  try {
    server = await serveLoopback(options.port, reply, {
      ...{ host, stays, methods: ['POST', 'PUT', 'PATCH'], mostBody: MOST_BODY },
    });
  } catch (cause) {
    await frame.close();
    throw unserved(host, options.port, cause);
  }
  const { port } = server;
  return {
    port,
    framePort: frame.port,
    url: `http://${host}:${port}/?token=${token}`,
    close: async () => {
      feeds.close();
      await Promise.all([server?.close(), frame.close()]);
      await shown.close();
    },
  };
}

const NOT_FOUND: Reply = {
  status: 404,
  text: 'There is no such page. The API is below /api/v1.\n',
};

/** The origins under which this machine reaches a port. */
function ownOrigins(host: string, port: number): string {
  if (!isLoopback(host)) return '*';
  return `http://127.0.0.1:${port} http://localhost:${port}`;
}

function pageReply(
  text: string,
  host: string,
  framePort: number,
): Reply & { headers: Record<string, string> } {
  const hashes = (tag: string) =>
    [...text.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))]
      .map(([, content]) => `'sha256-${createHash('sha256').update(content).digest('base64')}'`)
      .join(' ');
  const frames = isLoopback(host) ? ownOrigins(host, framePort) : `http://*:${framePort}`;
  const policy = [
    "default-src 'none'",
    `script-src ${hashes('script')}`,
    `style-src ${hashes('style')}`,
    "connect-src 'self'",
    "img-src 'self' data:",
    `frame-src ${frames}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    ...{ status: 200, text, type: 'text/html; charset=utf-8' },
    headers: {
      'content-security-policy': policy.join('; '),
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
    },
  };
}

async function answered<Parts, Crawl>(
  shown: Shown<Parts, Crawl>,
  feeds: Feeds,
  path: string,
  query: string,
  request: RequestFacts,
): Promise<Reply> {
  if (!path.startsWith(`${API}/`)) return NOT_FOUND;
  try {
    const rest = path.slice(API.length);
    if (rest === '/openapi.json') return json(openApi(shown.routes));
    const [, watched] = /^\/crawls\/([^/]+)\/events$/.exec(rest) ?? [];
    if (watched !== undefined)
      return feeds.watch(shown.watched(await shown.crawl(decodeURIComponent(watched))));
    return await routed(shown, rest, query, request);
  } catch (error) {
    if (error instanceof DrumlinError) {
      const { code, fact, remedy } = error;
      return json({ error: { code, fact, remedy } }, code === STILL_READING ? 503 : 400);
    }
    if (error instanceof URIError)
      return json(
        {
          error: { code: 'REQUEST', fact: 'The path has a wrong escape.', remedy: 'Write UTF-8.' },
        },
        400,
      );
    throw error;
  }
}

async function routed<Parts, Crawl>(
  shown: Shown<Parts, Crawl>,
  path: string,
  query: string,
  { method, body }: RequestFacts,
): Promise<Reply> {
  const found = shown.routes
    .map((one) => ({ one, match: matchOf(one.path, path) }))
    .filter(({ match }) => match);
  if (found.length === 0) {
    const elsewhere = shown.missing?.(path);
    if (elsewhere) throw elsewhere;
    return json({ error: NO_ROUTE }, 404);
  }
  const wanted = method === 'HEAD' ? 'GET' : method;
  const { one, match } = found.find((each) => each.one.method === wanted) ?? {};
  if (!one || !match) {
    const known = found.map((each) => each.one.method).join(', ');
    return json(
      { error: { code: 'REQUEST', fact: `${method} is not known here.`, remedy: `Use ${known}.` } },
      405,
    );
  }
  const given = wanted === 'GET' ? Object.fromEntries(new URLSearchParams(query)) : bodyOf(body);
  if (wanted === 'GET') delete given.token;
  const values = readFields(one.fields, given) as never;
  // Routes that are about no crawl do not look at it.
  const crawl = match.crawl === undefined ? (undefined as Crawl) : await shown.crawl(match.crawl);
  const answer = await one.answer(shown.parts, crawl, values, match.name ?? '');
  return answer instanceof RawAnswer ? raw(answer) : json(answer);
}

/** What comes from the web is downloaded, or text; it is no page of the console. */
function raw({ content, type, filename, status }: RawAnswer): Reply {
  const isWhole = typeof content === 'string' || content instanceof Uint8Array;
  return {
    ...{ status, type, text: isWhole ? content : '' },
    ...(!isWhole && { body: content }),
    headers: {
      ...(filename !== undefined && {
        'content-disposition': `attachment; filename="${filename}"`,
      }),
      'content-security-policy': "sandbox; default-src 'none'",
    },
  };
}

const NO_ROUTE = {
  code: 'REQUEST',
  fact: 'There is no such route.',
  remedy: 'GET /api/v1/openapi.json describes all.',
};

/** The parts of a path that a route leaves open. */
export function matchOf(
  path: string,
  asked: string,
): { readonly crawl?: string; readonly name?: string } | undefined {
  const pattern = path.split('/');
  const given = asked.split('/');
  if (pattern.length !== given.length) return undefined;
  const open: Record<string, string> = {};
  for (const [i, part] of pattern.entries()) {
    const [, key] = /^\{(\w+)\}$/.exec(part) ?? [];
    if (key === undefined && part !== given[i]) return undefined;
    if (key !== undefined) open[key] = decodeURIComponent(given[i]);
  }
  return open;
}

function bodyOf(bytes: Uint8Array): Record<string, unknown> {
  try {
    const value = JSON.parse(Buffer.from(bytes).toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // reported below
  }
  throw requestError('The body is no JSON object.', 'Send one, like {"action":"pause"}.');
}

function json(value: unknown, status = 200): Reply {
  return { status, text: `${JSON.stringify(value, spelled)}\n`, type: 'application/json' };
}

/** JSON has no Infinity: null stands for it. */
const spelled = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value;

function openWithoutToken(host: string): DrumlinError {
  return new DrumlinError(
    'CONSOLE_TOKEN',
    `The console would be open to other machines (${host}).`,
    'Give a token of your own with --token, at least 16 letters, and put TLS in front of it.',
  );
}

function badToken(): DrumlinError {
  return new DrumlinError(
    'CONSOLE_TOKEN',
    'The token is too short, or has other signs than letters, digits and . _ ~ -.',
    'Give at least 16 letters.',
  );
}

function unserved(host: string, port: number, cause: unknown): DrumlinError {
  const why = systemCode(cause) === 'EADDRINUSE' ? 'the port is in use' : systemCode(cause);
  return new DrumlinError(
    'CONSOLE_PORT',
    `The console cannot be served on ${host}:${port}: ${why}.`,
    'Choose another port or address.',
    { cause },
  );
}
