/**
 * Parts of a URL that might not matter: each parameter, each segment that looks like a number or a
 * token, the last segment.
 *
 *   URL                     rule                    rest
 *   /view?item=1&ref=7      ?ref and /view?ref      /view?item=1
 *   /calendar/2026/5        /calendar/#             /calendar/…/5
 *                           /calendar/#/#           /calendar/2026/…
 *   /archive/more/old/      /archive/ and two stars /archive/more/
 *
 * Idea      Two pages whose URLs have the same rest differ only in one part. If their texts agree
 *           again and again, that part does not choose the page.
 * Requires  Canonical URLs.
 * Ensures   `replaceParts` changes only the parts for which it is given a replacement. Rules are
 *           about one host, and their number per URL is bounded.
 */

import { originOf } from '../url/parts.ts';

export interface Variant {
  /**
   * The names of the rules about this part, the same for every URL of the host that varies in it.
   * The most general first.
   */
  readonly rules: readonly string[];
  /** Equal for URLs that differ only in this part. Without the part, the URL itself is the rest. */
  readonly rest: string;
  readonly value: string;
  /** Whether only the page of `rest` itself is evidence, not another page with the same rest. */
  readonly needsRest?: boolean;
}

const MOST_PARAMETERS = 8;
const MOST_SEGMENTS = 6;
const NUMBER = /^\d[\d-]*$/;
const TOKEN = /^(?=(?:\D*\d){2})[0-9A-Za-z]{8,}$/;
/** What replaces a segment in a rest; no URL contains it. */
const BLANK = '\u0001';

/** `#` for a number or date, `@` for a token, undefined for a word. */
function classOf(segment: string): string | undefined {
  if (NUMBER.test(segment)) return '#';
  return TOKEN.test(segment) ? '@' : undefined;
}

interface Parts {
  readonly origin: string;
  readonly path: string;
  /** Undefined without a question mark. */
  readonly parameters: string[] | undefined;
}

function partsOf(url: string): Parts {
  const origin = originOf(url);
  const question = url.indexOf('?', origin.length);
  if (question < 0) return { origin, path: url.slice(origin.length), parameters: undefined };
  return {
    origin,
    path: url.slice(origin.length, question),
    parameters: url.slice(question + 1).split('&'),
  };
}

const written = ({ origin, path }: Parts, parameters: readonly string[] | undefined): string =>
  parameters === undefined || parameters.length === 0
    ? origin + path
    : `${origin}${path}?${parameters.join('&')}`;

const nameOf = (parameter: string): string => {
  const equals = parameter.indexOf('=');
  return equals < 0 ? parameter : parameter.slice(0, equals);
};

export function variantsOf(url: string): Variant[] {
  const parts = partsOf(url);
  return [...parameterVariants(parts), ...segmentVariants(parts), ...depthVariant(parts)];
}

function parameterVariants(parts: Parts): Variant[] {
  const parameters = parts.parameters ?? [];
  const names = parameters.map(nameOf);
  const variants: Variant[] = [];
  for (let i = 0; i < Math.min(parameters.length, MOST_PARAMETERS); i++) {
    // A repeated parameter is a list, and lists are not variants.
    if (names[i] === '' || names.indexOf(names[i]) !== names.lastIndexOf(names[i])) continue;
    variants.push({
      rules: [`?${names[i]}`, `${parts.path}?${names[i]}`],
      rest: written(parts, parameters.toSpliced(i, 1)),
      value: parameters[i],
    });
  }
  return variants;
}

function segmentVariants(parts: Parts): Variant[] {
  const segments = parts.path.split('/');
  const variants: Variant[] = [];
  let shape = '';
  for (let i = 1; i < segments.length && variants.length < MOST_SEGMENTS; i++) {
    const kind = classOf(segments[i]);
    if (kind !== undefined) {
      const blanked = { ...parts, path: segments.with(i, BLANK).join('/') };
      variants.push({
        rules: [`${shape}/${kind}`],
        rest: written(blanked, parts.parameters),
        value: segments[i],
      });
    }
    shape += `/${kind ?? segments[i]}`;
  }
  return variants;
}

/** Only without a query: then everything below a folder may be one page. */
function depthVariant(parts: Parts): Variant[] {
  const { origin, path, parameters } = parts;
  const end = path.endsWith('/') ? path.length - 1 : path.length;
  const last = path.lastIndexOf('/', end - 1);
  const first = path.indexOf('/', 1);
  if (parameters !== undefined || last <= 0 || first < 0) return [];
  const rest = path.slice(0, last) + path.slice(end);
  const rules = [`${path.slice(0, first)}/**`];
  return [{ rules, rest: origin + rest, value: path.slice(last + 1, end), needsRest: true }];
}

/**
 * Returns the value that replaces this value of a part, or a value of undefined to drop the part.
 * Without an answer the part stays.
 */
type ReplacementOf = (
  rules: readonly string[],
  value: string,
) => { readonly value: string | undefined } | undefined;

/** The number in a value of a parameter or segment; undefined for words, tokens and dates. */
export function numberIn(value: string | undefined): number | undefined {
  const digits = value === undefined ? undefined : /^(?:[^=]*=)?(\d{1,15})$/.exec(value)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/**
 * The URL with its parts replaced. Idempotent: each step depends on the result of the steps before
 * it.
 */
export function replaceParts(url: string, replacementOf: ReplacementOf): string {
  const given = partsOf(url);
  const parts = { ...given, path: replacedSegments(given.path, replacementOf) };
  const [below] = depthVariant(parts);
  if (below && replacementOf(below.rules, below.value)) {
    const first = parts.path.indexOf('/', 1);
    return parts.origin + parts.path.slice(0, first) + (parts.path.endsWith('/') ? '/' : '');
  }
  return written(parts, replacedParameters(parts, replacementOf));
}

function replacedParameters(
  { path, parameters }: Parts,
  replacementOf: ReplacementOf,
): string[] | undefined {
  const times = new Map<string, number>();
  for (const name of parameters?.map(nameOf) ?? []) times.set(name, (times.get(name) ?? 0) + 1);
  return parameters?.flatMap((parameter) => {
    const name = nameOf(parameter);
    const isOnce = name !== '' && times.get(name) === 1;
    const found = isOnce ? replacementOf([`?${name}`, `${path}?${name}`], parameter) : undefined;
    return found === undefined ? [parameter] : found.value === undefined ? [] : [found.value];
  });
}

function replacedSegments(path: string, replacementOf: ReplacementOf): string {
  const segments = path.split('/');
  let shape = '';
  for (let i = 1; i < segments.length; i++) {
    const kind = classOf(segments[i]);
    shape += `/${kind ?? segments[i]}`;
    const value = kind === undefined ? undefined : replacementOf([shape], segments[i])?.value;
    if (value !== undefined) segments[i] = value;
  }
  return segments.join('/');
}
