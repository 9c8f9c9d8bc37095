/**
 * URL patterns, as `include` and `exclude` take them.
 *
 * Idea      A glob over the whole URL (`*` matches any run of characters), or a JavaScript regular
 *           expression between slashes, which may match anywhere: `https://example.org/docs/*`,
 *           `/\.(?:zip|iso)$/i`.
 * Requires  URLs in canonical form. A glob with something that never occurs in one (docs/url.md) is
 *           refused, because it would silently match nothing.
 * Ensures   A glob takes linear time. A regular expression may not, and strangers write the URLs.
 *           So `checkUrlPattern` tries it on URLs made to be hard and refuses it if it is slow.
 *           This is a trial, not a proof.
 */
import { type Context, createContext, runInContext } from 'node:vm';
import { DrumlinError } from '../base/errors.ts';
import type { Millis } from '../base/units.ts';
import { canonicalise } from '../url/canonical.ts';
import { compileGlob, type TextTest } from './glob.ts';

const SCHEMES = ['http://', 'https://'];
const REGULAR_EXPRESSION = /^\/(.+)\/(i?)$/;
/** Between slashes, with no special character of regular expressions. */
const LOOKS_LIKE_A_PATH = /^\/[\w\-/]+\/$/;
const NOT_IN_A_URL = /[^\w\-.~!$&'()*+,;=:@/?%[\]]/u;
const SCHEME_AND_HOST = /^https?:\/\/[^/*]*/i;
const OCTET = /%[\da-f]{2}/gi;

export function compileUrlPattern(text: string): TextTest {
  if (!text.startsWith('/')) return compileGlob(normalisedGlob(text));
  const expression = compileExpression(text);
  return (url) => expression.test(url);
}

/** Refuses patterns that cannot be compiled or can match no URL, and slow expressions. */
export function checkUrlPattern(text: string): void {
  if (!text.startsWith('/')) normalisedGlob(text);
  else if (isSlow(compileExpression(text))) {
    throw refused(
      text,
      'can take very long on some URLs',
      'Use a glob, like *one*two*, or fewer repetitions.',
    );
  }
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

function compileExpression(text: string): RegExp {
  const parts = REGULAR_EXPRESSION.exec(text);
  if (parts === null) {
    throw refused(
      text,
      'begins like a regular expression but does not end with a slash',
      `Write ${containing(text)} for URLs that contain it; put a regular expression between slashes.`,
    );
  }
  try {
    return new RegExp(parts[1], parts[2]);
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

/**
 * Time limit for one URL of the trial. Quick expressions take microseconds, quadratic ones 5 ms,
 * cubic ones almost a second.
 */
const TRIAL_TIME: Millis = 250;
const TRIAL_LENGTH = 2000;
const MOST_TRIALS = 64;
/** Texts that URLs often repeat, tried with every expression. */
const USUAL = ['a', '0', '/', '-', '.', '/a', 'a/', 'a=1&', '%20', 'aa/bb/'];

/** Tries the expression on long URLs that repeat its own characters and do not match at the end. */
function isSlow(expression: RegExp): boolean {
  const { source } = expression;
  const own = [
    ...(source.match(/[\w\-.~!$&'()+,;=:@/?%]/g) ?? []),
    ...(source.match(/[\w/]{2,}/g) ?? []),
  ];
  const context = createContext({ expression, url: '' });
  for (const piece of [...new Set([...USUAL, ...own])].slice(0, MOST_TRIALS)) {
    context.url = `http://example.org/${piece.repeat(TRIAL_LENGTH / piece.length)}~!`;
    if (!endsInTime(context)) return true;
  }
  return false;
}

/**
 * Tries three times: on a busy machine a quick expression may take long once, a slow one always
 * does.
 */
function endsInTime(context: Context): boolean {
  for (let tries = 3; tries > 0; tries--) {
    try {
      runInContext('expression.test(url)', context, { timeout: TRIAL_TIME });
      return true;
    } catch {
      // out of time or out of stack
    }
  }
  return false;
}
