/**
 * What of a URL might not matter: each of its parameters, each segment that looks like a number or a token, the last segment.
 *
 *   URL                     rule                    rest
 *   /view?item=1&ref=7      ?ref and /view?ref      /view?item=1
 *   /calendar/2026/5        /calendar/#             /calendar/…/5
 *                           /calendar/#/#           /calendar/2026/…
 *   /archive/more/old/      /archive/ and two stars /archive/more/
 *
 * Idea      Two pages whose URLs have the same rest differ in one part only. If their texts agree again and again, that part does
 *           not choose the page.
 * Requires  canonical URLs.
 * Ensures   `withValue(url, rule, v)` is `url` for the value that it has. Rules are about one host, and bounded in number a URL.
 */

import { originOf } from '../url/parts.ts';

export interface Variant {
  /** Names what varies; the same for every URL of the host that may vary in it. The most general first. */
  readonly rules: readonly string[];
  /** Equal for URLs that differ in this part only. What is left when the part is missing is such a URL itself. */
  readonly rest: string;
  readonly value: string;
  /** Only the page of `rest` itself is evidence, not another that has the same rest. */
  readonly needsRest?: boolean;
}

const MOST_PARAMETERS = 8;
const MOST_SEGMENTS = 6;
const NUMBER = /^\d[\d-]*$/;
const TOKEN = /^(?=(?:\D*\d){2})[0-9A-Za-z]{8,}$/;
/** What stands in a rest in place of a segment; no URL has it. */
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
    // A parameter that stands twice is a list, and lists are left alone.
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

/** What a part with this value is to be: a text, or undefined where it is to be left out. Without an answer it stays. */
export type Settled = (
  rules: readonly string[],
  value: string,
) => { readonly value: string | undefined } | undefined;

/** The number that a value is, a parameter's or a segment's; undefined for words, tokens and dates. */
export function numberIn(value: string | undefined): number | undefined {
  const digits = value === undefined ? undefined : /^(?:[^=]*=)?(\d{1,15})$/.exec(value)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The URL with the parts that do not matter as they were settled. Idempotent: each step goes by what the ones before it left. */
export function settle(url: string, settled: Settled): string {
  const given = partsOf(url);
  const parts = { ...given, path: settledSegments(given.path, settled) };
  const [below] = depthVariant(parts);
  if (below && settled(below.rules, below.value)) {
    const first = parts.path.indexOf('/', 1);
    return parts.origin + parts.path.slice(0, first) + (parts.path.endsWith('/') ? '/' : '');
  }
  return written(parts, settledParameters(parts, settled));
}

function settledParameters({ path, parameters }: Parts, settled: Settled): string[] | undefined {
  const times = new Map<string, number>();
  for (const name of parameters?.map(nameOf) ?? []) times.set(name, (times.get(name) ?? 0) + 1);
  return parameters?.flatMap((parameter) => {
    const name = nameOf(parameter);
    const isOnce = name !== '' && times.get(name) === 1;
    const found = isOnce ? settled([`?${name}`, `${path}?${name}`], parameter) : undefined;
    return found === undefined ? [parameter] : found.value === undefined ? [] : [found.value];
  });
}

function settledSegments(path: string, settled: Settled): string {
  const segments = path.split('/');
  let shape = '';
  for (let i = 1; i < segments.length; i++) {
    const kind = classOf(segments[i]);
    shape += `/${kind ?? segments[i]}`;
    const value = kind === undefined ? undefined : settled([shape], segments[i])?.value;
    if (value !== undefined) segments[i] = value;
  }
  return segments.join('/');
}
