/**
 * Patterns for URLs, as `include` and `exclude` take them.
 *
 * Idea      A glob over the whole URL (`*` is any run of characters), or a JavaScript regular expression between
 *           slashes, which may match anywhere: `https://example.org/docs/*`, `/\.(?:zip|iso)$/i`.
 * Requires  URLs in canonical form; docs/url.md says what never occurs in one, and a glob that holds it is refused,
 *           because it could not match and nobody would notice.
 * Ensures   a glob takes linear time. A regular expression may not, and the URLs are written by strangers: one that
 *           takes long on URLs made to be hard is refused by `checkUrlPattern`. That is a trial, no proof.
 */
import { type Context, createContext, runInContext } from 'node:vm';
import { DrumlinError } from '../base/errors.ts';
import type { Millis } from '../base/units.ts';
import { canonicalise } from '../url/canonical.ts';
import { compileGlob, type TextTest } from './glob.ts';

const SCHEMES = ['http://', 'https://'];
const REGULAR_EXPRESSION = /^\/(.+)\/(i?)$/;
/** Between slashes, and nothing in it that is special in an expression. */
const LOOKS_LIKE_A_PATH = /^\/[\w\-/]+\/$/;
const NOT_IN_A_URL = /[^\w\-.~!$&'()*+,;=:@/?%[\]]/u;
const SCHEME_AND_HOST = /^https?:\/\/[^/*]*/i;
const OCTET = /%[\da-f]{2}/gi;

export function compileUrlPattern(text: string): TextTest {
  if (!text.startsWith('/')) return compileGlob(settledGlob(text));
  const expression = compileExpression(text);
  return (url) => expression.test(url);
}

/** Refuses what cannot be compiled, what can match no URL, and expressions that take long. */
export function checkUrlPattern(text: string): void {
  if (!text.startsWith('/')) settledGlob(text);
  else if (isSlow(compileExpression(text))) {
    throw refused(
      text,
      'can take very long on some URLs',
      'Write it as a glob, like *one*two*, or with fewer repetitions.',
    );
  }
}

/** Refuses what is typed as a path, `/private/`, and would be read as an expression. */
export function refusePath(text: string): void {
  if (!LOOKS_LIKE_A_PATH.test(text)) return;
  throw refused(
    text,
    'reads as a regular expression, which matches its letters anywhere in a URL, while it looks like a path',
    `Write *${text}* for the path, or ${text}i for the regular expression.`,
  );
}

function compileExpression(text: string): RegExp {
  const parts = REGULAR_EXPRESSION.exec(text);
  if (parts === null) {
    throw refused(
      text,
      'begins like a regular expression and does not end with a slash',
      `Write ${containing(text)} for URLs that contain it; a regular expression stands between slashes.`,
    );
  }
  try {
    return new RegExp(parts[1], parts[2]);
  } catch (error) {
    throw refused(
      text,
      `is no regular expression (${(error as Error).message.replace(/^.*: /, '')})`,
      'Write a JavaScript one between slashes, like /\\.zip$/.',
    );
  }
}

/** A star before and behind, where there is none. */
const containing = (text: string): string => `*${text.replace(/^\*+|\*+$/g, '')}*`;

/** A glob in the spelling of canonical URLs, as far as that can be told. */
function settledGlob(text: string): string {
  checkUrlText(text);
  if (!canBegin(text)) {
    throw refused(
      text,
      'can match no URL, since it is about the whole of it',
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
    'is one URL, and none that is crawled',
    'Write it like https://example.org/docs/*.',
  );
}

/** Refuses a piece of a URL that no URL holds, because nobody would notice that it never matches. */
export function checkUrlText(text: string): void {
  const alien = NOT_IN_A_URL.exec(text)?.[0];
  if (alien !== undefined)
    throw refused(text, `holds ${JSON.stringify(alien)}, which no URL does`, remedyFor(alien));
}

function remedyFor(alien: string): string {
  if (alien === '#') return 'Leave the fragment out: it is never sent to a server.';
  // Something has to follow: blanks at the end of a URL are dropped.
  return `Write it ${canonicalise(`http://x/${alien}-`)?.slice('http://x/'.length, -1)}.`;
}

/** Whether what stands before the first star may begin a URL. */
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

/** Time for one URL in the trial. Quick expressions take microseconds, quadratic ones 5 ms, cubic ones near a second. */
const TRIAL_TIME: Millis = 250;
const TRIAL_LENGTH = 2000;
const MOST_TRIALS = 64;
/** What URLs repeat, whatever the expression is about. */
const USUAL = ['a', '0', '/', '-', '.', '/a', 'a/', 'a=1&', '%20', 'aa/bb/'];

/** Tries the expression on long URLs that repeat what it is made of, and end otherwise. */
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

/** A machine that is busy with something else may take any time once: what is slow is slow every time. */
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
