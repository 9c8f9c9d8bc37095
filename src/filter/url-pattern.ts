/**
 * URL patterns, as `include` and `exclude` take them.
 *
 * Idea      A glob over the whole URL (`*` matches any run of characters), or a JavaScript regular
 *           expression between slashes, which may match anywhere: `https://example.org/docs/*`,
 *           `/\.(?:zip|iso)$/i`.
 * Requires  URLs in canonical form. A glob with something that never occurs in one (docs/url.md) is
 *           refused, because it would silently match nothing.
 * Ensures   Every pattern takes linear time, because strangers write the URLs. A regular expression
 *           runs in the engine of JavaScript if that is provably linear, and in a matcher of our
 *           own otherwise (docs/scope.md). One that needs more, such as a back-reference, is
 *           refused.
 */
import { DrumlinError } from '../base/errors.ts';
import { canonicalise } from '../url/canonical.ts';
import { compileGlob, type TextTest } from './glob.ts';
import { RegexpMatcher } from './regexp-matcher.ts';
import { NotRegular, parseRegexp } from './regexp-parse.ts';
import { isLinear } from './regexp-safety.ts';

const SCHEMES = ['http://', 'https://'];
const REGULAR_EXPRESSION = /^\/(.+)\/(i?)$/;
/** Between slashes, with no special character of regular expressions. */
const LOOKS_LIKE_A_PATH = /^\/[\w\-/]+\/$/;
const NOT_IN_A_URL = /[^\w\-.~!$&'()*+,;=:@/?%[\]]/u;
const SCHEME_AND_HOST = /^https?:\/\/[^/*]*/i;
const OCTET = /%[\da-f]{2}/gi;

export function compileUrlPattern(text: string): TextTest {
  return text.startsWith('/') ? compileExpression(text) : compileGlob(normalisedGlob(text));
}

/** Refuses patterns that cannot be compiled or can match no URL. */
export function checkUrlPattern(text: string): void {
  compileUrlPattern(text);
}

/** Refuses a path such as `/private/`, which would be read as a regular expression. */
export function refusePath(text: string): void {
  if (!LOOKS_LIKE_A_PATH.test(text)) return;
  throw refused(
    text,
    'looks like a path but is a regular expression, which matches its letters anywhere in a URL',
    `Write *${text}* for the path, or ${text}i for the regular expression.`,
  );
}

function compileExpression(text: string): TextTest {
  const parts = REGULAR_EXPRESSION.exec(text);
  if (parts === null) {
    throw refused(
      text,
      'begins like a regular expression but does not end with a slash',
      `Write ${containing(text)} for URLs that contain it; put a regular expression between slashes.`,
    );
  }
  const native = nativeExpression(text, parts[1], parts[2]);
  try {
    const tree = parseRegexp(parts[1], native.ignoreCase);
    if (isLinear(tree)) return (url) => native.test(url);
    const matcher = new RegexpMatcher(tree);
    return (url) => matcher.test(url);
  } catch (error) {
    if (!(error instanceof NotRegular)) throw error;
    throw refused(
      text,
      `has ${error.what}, which cannot be tested in linear time`,
      'Write it without; several patterns, or a filter with "and" and "not", can often replace it.',
    );
  }
}

function nativeExpression(text: string, source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch (error) {
    throw refused(
      text,
      `is not a regular expression (${(error as Error).message.replace(/^.*: /, '')})`,
      'Write a JavaScript regular expression between slashes, like /\\.zip$/.',
    );
  }
}

/** Adds a star at each end that has none. */
const containing = (text: string): string => `*${text.replace(/^\*+|\*+$/g, '')}*`;

/** A glob in the spelling of canonical URLs, as far as its stars permit. */
function normalisedGlob(text: string): string {
  checkUrlText(text);
  if (!canBegin(text)) {
    throw refused(
      text,
      'can match no URL, because a glob must match the whole URL',
      `Write ${containing(text)} for URLs that contain it.`,
    );
  }
  if (text.includes('*')) {
    return text
      .replace(OCTET, (octet) => octet.toUpperCase())
      .replace(SCHEME_AND_HOST, (host) => host.toLowerCase());
  }
  const url = canonicalise(text);
  if (url !== undefined) return url;
  throw refused(
    text,
    'is a single URL that cannot be crawled',
    'Write a pattern like https://example.org/docs/*.',
  );
}

/** Refuses text that occurs in no URL, because it would silently never match. */
export function checkUrlText(text: string): void {
  const alien = NOT_IN_A_URL.exec(text)?.[0];
  if (alien !== undefined)
    throw refused(
      text,
      `contains ${JSON.stringify(alien)}, which occurs in no URL`,
      remedyFor(alien),
    );
}

function remedyFor(alien: string): string {
  if (alien === '#') return 'Remove the fragment: it is never sent to a server.';
  // The hyphen is needed because blanks at the end of a URL are dropped.
  return `Write ${canonicalise(`http://x/${alien}-`)?.slice('http://x/'.length, -1)} instead.`;
}

/** Whether the text before the first star can begin a URL. */
function canBegin(glob: string): boolean {
  const star = glob.indexOf('*');
  const beginning = (star < 0 ? glob : glob.slice(0, star)).toLowerCase();
  return SCHEMES.some(
    (scheme) => beginning.startsWith(scheme) || (star >= 0 && scheme.startsWith(beginning)),
  );
}

function refused(pattern: string, why: string, remedy: string): DrumlinError {
  return new DrumlinError('PATTERN', `The pattern ${pattern} ${why}.`, remedy);
}
