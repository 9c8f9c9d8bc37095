/**
 * An HTML page as a tree that CSS selectors can be asked of.
 *
 * Idea      The tree is that of the HTML standard (parse5), so that a selector copied from a
 *           browser finds the same elements. It is built when it is first asked for, and its
 *           packages are loaded then: a crawl that asks for none pays nothing.
 * Cost      docs/extraction.md has the measurement: many times the scan for links.
 */
import type { selectAll } from 'css-select';
import type { AnyNode, Document, Element } from 'domhandler';
import type { serializeOuter } from 'parse5';
import { DrumlinError } from '../base/errors.ts';
import { declaredOutside, decode, encodingOfMeta, guessEncoding } from '../parse/charset.ts';

/** An element of a page. */
export interface PageElement {
  /** The name of its tag, in lower case. */
  readonly name: string;
  /** Its text with that of the elements in it, white space collapsed. */
  readonly text: string;
  /** Its HTML, with its own tag. */
  readonly html: string;
  /** The value of an attribute; undefined if it has none of this name. */
  attribute(name: string): string | undefined;
  /** The elements in it that match a CSS selector, in their order. */
  $(selector: string): PageElement[];
}

interface Tools {
  readonly parse: (html: string) => Document;
  readonly select: typeof selectAll;
  readonly serialize: (element: Element) => string;
}

let tools: Promise<Tools> | undefined;

async function load(): Promise<Tools> {
  const [{ parse, serializeOuter: outer }, { adapter }, { selectAll: select }] = await Promise.all([
    import('parse5'),
    import('parse5-htmlparser2-tree-adapter'),
    import('css-select'),
  ]);
  const options = { treeAdapter: adapter };
  return {
    parse: (html) => parse(html, options),
    select,
    serialize: (element) => (outer as typeof serializeOuter)(element, options),
  };
}

export class PageDocument {
  readonly #tools: Tools;
  readonly #root: Document;

  private constructor(found: Tools, root: Document) {
    this.#tools = found;
    this.#root = root;
  }

  static async of(body: Uint8Array, contentType: string | undefined): Promise<PageDocument> {
    tools ??= load();
    const loaded = await tools;
    return new PageDocument(loaded, loaded.parse(textIn(body, contentType)));
  }

  /** The elements that match, in the order of the page. */
  $(selector: string): PageElement[] {
    return selected(this.#tools, selector, this.#root);
  }
}

/** Throws if the selector cannot be understood. */
export async function checkSelector(selector: string): Promise<void> {
  tools ??= load();
  const { select, parse } = await tools;
  selected({ select, parse, serialize: () => '' }, selector, parse(''));
}

function selected(found: Tools, selector: string, root: AnyNode): PageElement[] {
  let elements: AnyNode[];
  try {
    elements = found.select(selector, root as Element) as AnyNode[];
  } catch (error) {
    throw new DrumlinError(
      'SELECTOR',
      `"${selector}" is not a CSS selector: ${(error as Error).message}`,
      'Write it as in a style sheet, for example "article h1".',
    );
  }
  return elements.filter(isElement).map((element) => new Selected(found, element));
}

class Selected implements PageElement {
  readonly #tools: Tools;
  readonly #element: Element;

  constructor(found: Tools, element: Element) {
    this.#tools = found;
    this.#element = element;
  }

  get name(): string {
    return this.#element.name;
  }

  get text(): string {
    return collapsed(textOf(this.#element));
  }

  get html(): string {
    return this.#tools.serialize(this.#element);
  }

  attribute(name: string): string | undefined {
    const { attribs } = this.#element;
    return Object.hasOwn(attribs, name) ? attribs[name] : undefined;
  }

  $(selector: string): PageElement[] {
    return selected(this.#tools, selector, this.#element).filter(
      (one) => !(one instanceof Selected && one.#element === this.#element),
    );
  }
}

const isElement = (node: AnyNode): node is Element =>
  node.type === 'tag' || node.type === 'script' || node.type === 'style';

/** Without recursion: pages may be nested as deep as they like. */
function textOf(element: Element): string {
  let text = '';
  const open: AnyNode[] = [element];
  for (let node = open.pop(); node; node = open.pop()) {
    if (node.type === 'text') text += node.data;
    else if ('children' in node && node.type !== 'script' && node.type !== 'style') {
      for (let i = node.children.length - 1; i >= 0; i--) open.push(node.children[i]);
    }
  }
  return text;
}

const collapsed = (text: string): string => text.replace(/\s+/g, ' ').trim();

const META = /<meta[^>]+charset\s*=\s*["']?\s*([\w:.-]+)/i;
/** Where a page may declare its encoding. */
const FIRST_BYTES = 1024;

function textIn(body: Uint8Array, contentType: string | undefined): string {
  const outside = declaredOutside(body, contentType);
  if (outside !== undefined) return decode(body, outside);
  const head = Buffer.from(body.subarray(0, FIRST_BYTES)).toString('latin1');
  const label = META.exec(head)?.[1];
  const declared = label === undefined ? undefined : encodingOfMeta(label);
  return decode(body, declared ?? guessEncoding(body));
}
