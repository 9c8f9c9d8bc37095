/**
 * Links in the head of a response: `Link` (RFC 8288) and `Refresh`, which browsers treat like
 * `<meta http-equiv=refresh>`.
 */
import { canonicalise } from '../url/canonical.ts';
import type { ParameterList } from '../url/parameters.ts';
import type { Link, LinkKind } from './page.ts';
import { linkKindOf } from './reference-reader.ts';
import { refreshTarget } from './refresh.ts';
import { isPartOfPage } from './requisites.ts';

interface Head {
  readonly url: string;
  readonly headers: { all(name: string): readonly string[] };
}

/** The links of a head: those that a `<link>` of the page would give, and the refresh. */
export function headerLinks({ url, headers }: Head, drop: ParameterList | undefined): Link[] {
  const options = { base: url, ...(drop && { drop }) };
  const found: { reference: string; kind: LinkKind | undefined; rel: string }[] = [
    ...linkValues(headers).map(({ reference, rel }) => ({ reference, rel, kind: linkKindOf(rel) })),
    ...headers
      .all('refresh')
      .flatMap((text) => refreshTarget(text) ?? [])
      .map((reference) => ({ reference, kind: 'refresh' as const, rel: '' })),
  ];
  return found.flatMap(({ reference, kind, rel }) => {
    const target = kind && canonicalise(reference, options);
    return kind && target !== undefined
      ? [{ url: target, kind, nofollow: /\bnofollow\b/i.test(rel) }]
      : [];
  });
}

/** The requisites that a head names: styles, icons and what is to be loaded early. */
export function headerRequisites({ url: base, headers }: Head): string[] {
  return linkValues(headers)
    .filter(({ rel }) => isPartOfPage(rel))
    .flatMap(({ reference }) => canonicalise(reference, { base }) ?? []);
}

const LINK = /<([^<>]*)>((?:[^<>,"]|"(?:[^"\\]|\\.)*")*)/g;
const REL = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))/i;
/** Longer headers are cut: a head has a limit, but no value of it needs so much. */
const LONGEST = 16 * 1024;

function linkValues(headers: Head['headers']): { reference: string; rel: string }[] {
  return headers.all('link').flatMap((line) =>
    [...line.slice(0, LONGEST).matchAll(LINK)].flatMap(([, reference, parameters]) => {
      const [, quoted, bare] = REL.exec(parameters) ?? [];
      const rel = quoted ?? bare;
      // A link of another document than this one says nothing about this one.
      return rel === undefined || /;\s*anchor\s*=/i.test(parameters) ? [] : [{ reference, rel }];
    }),
  );
}
