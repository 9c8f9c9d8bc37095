/**
 * The links of a page as a conformant parser sees them: parse5 builds the tree, this reads it,
 * `canonicalise` resolves.
 *
 * It shares with the code under test only the reading of single values (`rel`, `refresh`, charset),
 * which have their own tests. Everything about tags, attributes, character references, nesting,
 * base and order is parse5's.
 */
import { type DefaultTreeAdapterTypes, html, parse } from 'parse5';
import { refreshTarget } from '../../src/parse/refresh.ts';
import { canonicalise } from '../../src/url/canonical.ts';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

export interface OracleAnswer {
  /** `kind url` or `kind url nofollow`, once each, sorted. */
  readonly links: string[];
  readonly base: string;
  readonly title: string | undefined;
}

export function oracle(page: string, pageUrl: string): OracleAnswer {
  const elements = elementsOf(parse(page, { scriptingEnabled: false }));
  const href = elements
    .map((element) => (isHtml(element, 'base') ? attribute(element, 'href') : undefined))
    .find((h) => h !== undefined);
  const base =
    href !== undefined && URL.canParse(href, pageUrl) ? new URL(href, pageUrl).href : pageUrl;
  const usable = /^(?:data|javascript):/.test(base) ? pageUrl : base;
  const links = new Set<string>();
  for (const element of elements) {
    const [kind, reference] = referenceOf(element);
    if (kind === undefined || reference === undefined) continue;
    if (reference.startsWith('#') && href === undefined) continue;
    if (reference === '' && kind.endsWith('frame')) continue;
    const url = canonicalise(reference, { base: usable });
    const nofollow =
      words(attribute(element, 'rel')).includes('nofollow') &&
      kind !== 'refresh' &&
      !kind.endsWith('frame');
    if (url !== undefined) links.add(`${kind} ${url}${nofollow ? ' nofollow' : ''}`);
  }
  const title = elements.find((element) => isHtml(element, 'title'));
  return {
    links: [...links].sort(),
    base: usable,
    title: title === undefined ? undefined : textOf(title),
  };
}

function referenceOf(
  element: Element,
): [kind?: string | undefined, reference?: string | undefined] {
  if (element.namespaceURI === html.NS.SVG && element.tagName === 'a') {
    return [
      'a',
      attribute(element, 'href') ??
        element.attrs.find((a) => a.name === 'href' && a.prefix === 'xlink')?.value,
    ];
  }
  if (element.namespaceURI !== html.NS.HTML) return [];
  switch (element.tagName) {
    case 'a':
    case 'area':
      return [element.tagName, attribute(element, 'href')];
    case 'frame':
    case 'iframe':
      return [element.tagName, attribute(element, 'src')];
    case 'link': {
      const rel = words(attribute(element, 'rel'));
      if (rel.includes('stylesheet')) return [];
      const kind = ['canonical', 'next', 'prev', 'previous', 'alternate'].find((word) =>
        rel.includes(word),
      );
      return [kind === 'previous' ? 'prev' : kind, attribute(element, 'href')];
    }
    case 'meta': {
      const refreshes = attribute(element, 'http-equiv')?.toLowerCase() === 'refresh';
      return refreshes ? ['refresh', refreshTarget(attribute(element, 'content') ?? '')] : [];
    }
  }
  return [];
}

function elementsOf(node: Node): Element[] {
  const found: Element[] = [];
  const visit = (at: Node): void => {
    if ('tagName' in at) found.push(at);
    // The content of a template is in `content`, not here: it is inert, for us as for a browser.
    if ('childNodes' in at) for (const child of at.childNodes) visit(child);
  };
  visit(node);
  return found;
}

function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((a) => a.name === name && !a.prefix)?.value;
}

function isHtml(element: Element, name: string): boolean {
  return element.namespaceURI === html.NS.HTML && element.tagName === name;
}

function words(text: string | undefined): string[] {
  return (text ?? '').toLowerCase().split(/[\t\n\f\r ]+/);
}

function textOf(element: Element): string {
  const text = element.childNodes.map((node) => ('value' in node ? node.value : '')).join('');
  return text.replace(/[\t\n\f\r ]+/g, ' ').replace(/^ | $/g, '');
}
