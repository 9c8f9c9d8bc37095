/**
 * Session and tracking parameters: what a URL carries about the visitor, not about the page.
 *
 * Idea      A page reached through a thousand session numbers is one page. Which names are such is
 *           a judgement, so the user chooses the list, and by default nothing is dropped.
 * Requires  A URL in canonical form.
 * Ensures   `dropFrom` returns a canonical URL and is idempotent. A URL without such parameters is
 *           returned unchanged.
 *
 * A rule is a name (`gclid`), a prefix (`utm_*`), or a name with a condition (`sid=token`: only if
 * the value is a token of 16 or more letters and digits, because `sid` also numbers stories).
 * Letter case does not matter. The rules apply to the query (`?a=1&sid=…`) and to the parameters of
 * a path segment (`/shop;jsessionid=…`).
 */
import { DrumlinError } from '../base/errors.ts';

/**
 * Parameters that, in our judgement, never choose the page: sessions of common servers, and
 * campaign marks.
 */
export const TRACKING_PARAMETERS: readonly string[] = [
  'phpsessid',
  'jsessionid',
  'aspsessionid*',
  'cfid',
  'cftoken',
  'sessionid',
  'session_id',
  'sid=token',
  's=token',
  'utm_*',
  'gclid',
  'gclsrc',
  'dclid',
  'gbraid',
  'wbraid',
  'fbclid',
  'msclkid',
  'yclid',
  'twclid',
  'igshid',
  'mc_cid',
  'mc_eid',
  '_ga',
  '_gl',
  '_hsenc',
  '_hsmi',
];

const RULE = /^([^*=&;/?#\s]+)(\*|=token)?$/;
const TOKEN = /^[0-9A-Za-z]{16,}$/;

export class ParameterList {
  readonly #names = new Set<string>();
  readonly #prefixes: string[] = [];
  readonly #tokens = new Set<string>();

  constructor(rules: Iterable<string>) {
    for (const rule of rules) {
      const match = RULE.exec(rule);
      if (!match) throw badRule(rule);
      const name = match[1].toLowerCase();
      if (match[2] === '*') this.#prefixes.push(name);
      else if (match[2] === '=token') this.#tokens.add(name);
      else this.#names.add(name);
    }
  }

  /** Whether the parameter, written `name` or `name=value`, is on the list. */
  has(parameter: string): boolean {
    const equals = parameter.indexOf('=');
    const name = (equals < 0 ? parameter : parameter.slice(0, equals)).toLowerCase();
    if (this.#names.has(name)) return true;
    if (this.#prefixes.some((prefix) => name.startsWith(prefix))) return true;
    return this.#tokens.has(name) && equals >= 0 && TOKEN.test(parameter.slice(equals + 1));
  }

  /** The canonical URL without the listed parameters. */
  dropFrom(url: string): string {
    const path = url.indexOf('/', url.indexOf('://') + 3);
    const question = url.indexOf('?', path);
    const end = question < 0 ? url.length : question;
    let kept = url.slice(0, end);
    if (kept.includes(';', path)) {
      const segments = kept.slice(path).split('/');
      kept =
        kept.slice(0, path) + segments.map((segment) => this.#dropFromSegment(segment)).join('/');
    }
    if (question < 0) return kept;
    const query = url
      .slice(question + 1)
      .split('&')
      .filter((parameter) => !this.has(parameter))
      .join('&');
    return query === '' ? kept : `${kept}?${query}`;
  }

  #dropFromSegment(segment: string): string {
    const [name, ...parameters] = segment.split(';');
    // `/a/..;sid=1/b` must not turn into a step upwards.
    if (parameters.length === 0 || name === '.' || name === '..') return segment;
    return [name, ...parameters.filter((parameter) => !this.has(parameter))].join(';');
  }
}

function badRule(rule: string): DrumlinError {
  return new DrumlinError(
    'PARAMETER_RULE',
    `"${rule}" is not a rule for dropping URL parameters.`,
    'Write a name (gclid), a prefix (utm_*) or a name whose value must be a token (sid=token).',
  );
}
