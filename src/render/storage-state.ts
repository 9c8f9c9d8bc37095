/**
 * A login that was made in a browser: cookies and local storage, in the form that Playwright saves
 * (`context.storageState({ path })`).
 *
 *   { "cookies": [{ "name", "value", "domain", "path", "expires", "httpOnly", "secure", "sameSite"
 *     }], "origins": [{ "origin": "https://example.org", "localStorage": [{ "name", "value" }] }] }
 */
import { DrumlinError } from '../base/errors.ts';
import { originOf } from '../url/parts.ts';

export interface StateCookie {
  readonly name: string;
  readonly value: string;
  readonly domain: string;
  readonly path: string;
  readonly expires?: number;
  readonly httpOnly?: boolean;
  readonly secure?: boolean;
  readonly sameSite?: string;
}

interface StateOrigin {
  readonly origin: string;
  readonly localStorage: readonly { readonly name: string; readonly value: string }[];
}

export interface StorageState {
  readonly cookies: readonly StateCookie[];
  /** Those that pages of a host may see. */
  cookiesOf(host: string): readonly StateCookie[];
  /**
   * Fills the local storage of a page's origin, and does nothing in frames of other origins; empty
   * where there is nothing to fill in.
   */
  script(url: string): string;
}

function refused(path: string, fact: string, cause?: unknown): DrumlinError {
  const remedy = 'Save it with Playwright: storageState().';
  return new DrumlinError('STORAGE_STATE', `${path} ${fact}`, remedy, { cause });
}

/** The error for a file that is missing, or is none. */
export function unreadableState(path: string, cause: unknown): DrumlinError {
  const isMissing = cause instanceof DrumlinError && cause.code === 'FILE_MISSING';
  return refused(path, isMissing ? 'does not exist.' : 'is no file that can be read.', cause);
}

export function parseStorageState(text: string, path: string): StorageState {
  const wrong = (fact: string) => refused(path, fact);
  let read: { cookies?: unknown; origins?: unknown };
  try {
    read = JSON.parse(text);
  } catch {
    throw wrong('is no JSON.');
  }
  if (read?.cookies === undefined && read?.origins === undefined)
    throw wrong('has neither cookies nor origins.');
  const { cookies = [], origins = [] } = read;
  if (!Array.isArray(cookies) || !cookies.every(isCookie))
    throw wrong('has cookies without a name, a value, a domain and a path.');
  if (!Array.isArray(origins) || !origins.every(isOrigin))
    throw wrong('has origins without a localStorage of names and values.');
  const stored = new Map(origins.map(({ origin, localStorage }) => [origin, localStorage]));
  const plain = cookies.map(plainCookie);
  return {
    cookies: plain,
    cookiesOf: (host) => plain.filter(({ domain }) => isSeenBy(host, domain.toLowerCase())),
    script: (url) => {
      const origin = originOf(url);
      const items = stored.get(origin);
      if (!items || items.length === 0) return '';
      const pairs = JSON.stringify(items.map(({ name, value }) => [name, value]));
      return `try { if (self.origin === ${JSON.stringify(origin)}) for (const [n, v] of ${pairs}) if (localStorage.getItem(n) === null) localStorage.setItem(n, v); } catch {}`;
    },
  };
}

/** The domain of a cookie is a host, or begins with a dot: then it is for all hosts below it. */
const isSeenBy = (host: string, domain: string): boolean =>
  domain.startsWith('.') ? `.${host}`.endsWith(domain) : host === domain;

const isText = (value: unknown): value is string => typeof value === 'string';

const isCookie = (value: Partial<StateCookie> | null): value is StateCookie =>
  [value?.name, value?.value, value?.domain, value?.path].every(isText);

const isOrigin = (value: Partial<StateOrigin> | null): value is StateOrigin =>
  isText(value?.origin) &&
  Array.isArray(value?.localStorage) &&
  value.localStorage.every((item) => isText(item?.name) && isText(item?.value));

/** Only what the browser knows; a cookie of a session has no end. */
function plainCookie(cookie: StateCookie): StateCookie {
  const { name, value, domain, path, expires, httpOnly, secure, sameSite } = cookie;
  return {
    ...{ name, value, domain, path },
    ...(typeof expires === 'number' && expires > 0 && { expires }),
    ...(httpOnly === true && { httpOnly }),
    ...(secure === true && { secure }),
    ...(/^(?:Strict|Lax|None)$/.test(sameSite ?? '') && { sameSite }),
  };
}
