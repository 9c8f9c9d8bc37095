/**
 * The links of a page by a kernel over its bytes (`links.as.ts`): no string and no object for a
 * link, only one text with all URLs.
 *
 *   page ─► scan: tags and attributes that matter ─► base, encoding ─► resolve: URLs ─► PackedLinks
 *             └─ svg, math ─► TagScanner                                └─ not plain ─►
 *                                                                       ReferenceReader
 *
 * Requires  An encoding in which ASCII is ASCII.
 * Ensures   The same answer as `findTags` and `readTags`. Undefined for a page that is too large or
 *           has too many tags: then call these.
 * Cost      About 0.8 µs per kilobyte, twice that for a page of many tags, and 1.4 MB of memory per
 *           thread, touched as far as pages need it.
 */
import { WebAssembly } from '../base/web-assembly.ts';
import { MAX_URL_LENGTH } from '../url/canonical.ts';
import { PackedUrls } from '../url/packed-urls.ts';
import { CANONICAL_ESCAPE, IN_ATTRIBUTE } from '../url/plain.ts';
import { Resolver } from '../url/resolve.ts';
import { ROLE } from './attributes.ts';
import { LINKS_WASM } from './links-wasm.ts';
import {
  kindNumber,
  MAX_ATTRIBUTE_LENGTH,
  MAX_LINKS,
  PackedLinks,
  type PageContext,
  type ParsedPage,
  type ParseOptions,
} from './parsed-page.ts';
import {
  baseUrl,
  encodingDeclared,
  type Reference,
  ReferenceReader,
  robotsOf,
  urlOptions,
} from './reference-reader.ts';
import { TAG, type Tag, TagScanner } from './tags.ts';
import { latin1Of, type Span, Values } from './values.ts';

interface Address {
  readonly value: number;
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly STATE: Address;
  readonly CLASSES: Address;
  readonly ROLES: Address;
  readonly ESCAPES: Address;
  readonly BASE: Address;
  readonly BASE_BYTES: Address;
  readonly RECORDS: Address;
  readonly MOST_RECORDS: Address;
  readonly MARKS: Address;
  readonly OUT: Address;
  readonly OUT_BYTES: Address;
  readonly INPUT: Address;
  readonly INPUT_BYTES: Address;
  readonly ORIGINS: Address;
  readonly ORIGINS_BYTES: Address;
  readonly ORIGIN_ENDS: Address;
  scan(from: number, length: number): number;
  resolve(record: number): number;
  putLink(end: number, nofollow: number, kind: number): void;
  beginOrigins(): void;
}

/** The state that the kernel shares with us, by index. */
const STATE = {
  templates: 0,
  records: 1,
  outAt: 2,
  links: 3,
  refused: 4,
  originLength: 5,
  documentLength: 6,
  isHttps: 7,
  hasBase: 8,
  drops: 9,
  maxUrl: 10,
  maxAttribute: 11,
  origins: 12,
} as const;
const STATES = 13;

/** A record: its tag, then the spans of its attributes, -1 for one that is missing. */
const RECORD = 10;
/** The spans of a record, by index of their start. */
const VALUE = 1;
const ABOUT = 3;
const NAME = 5;
const CHARSET = 7;

const PADDING = 64;
const MARK_BITS = 5;

class LinkKernel {
  readonly #scan: Exports['scan'];
  readonly #resolve: Exports['resolve'];
  readonly #putLink: Exports['putLink'];
  readonly #beginOrigins: Exports['beginOrigins'];
  readonly #state: Int32Array;
  readonly #records: Int32Array;
  readonly #mostRecords: number;
  readonly #marks: Int32Array;
  readonly #base: Buffer;
  readonly #out: Buffer;
  readonly #origins: Buffer;
  readonly #originEnds: Int32Array;
  readonly #input: Uint8Array;
  readonly #room: number;

  constructor() {
    const instance = new WebAssembly.Instance(new WebAssembly.Module(LINKS_WASM));
    const kernel = instance.exports as unknown as Exports;
    const { buffer } = kernel.memory;
    this.#scan = kernel.scan;
    this.#resolve = kernel.resolve;
    this.#putLink = kernel.putLink;
    this.#beginOrigins = kernel.beginOrigins;
    this.#room = kernel.INPUT_BYTES.value;
    this.#mostRecords = kernel.MOST_RECORDS.value;
    this.#state = new Int32Array(buffer, kernel.STATE.value, STATES);
    this.#records = new Int32Array(buffer, kernel.RECORDS.value, this.#mostRecords * RECORD);
    this.#marks = new Int32Array(buffer, kernel.MARKS.value, this.#mostRecords);
    this.#base = Buffer.from(buffer, kernel.BASE.value, kernel.BASE_BYTES.value);
    this.#out = Buffer.from(buffer, kernel.OUT.value, kernel.OUT_BYTES.value);
    this.#origins = Buffer.from(buffer, kernel.ORIGINS.value, kernel.ORIGINS_BYTES.value);
    this.#originEnds = new Int32Array(buffer, kernel.ORIGIN_ENDS.value, this.#mostRecords);
    this.#input = new Uint8Array(buffer, kernel.INPUT.value, this.#room + PADDING);
    const bytes = new Uint8Array(buffer);
    bytes.set(IN_ATTRIBUTE, kernel.CLASSES.value);
    bytes.set(ROLE, kernel.ROLES.value);
    bytes.set(CANONICAL_ESCAPE, kernel.ESCAPES.value);
  }

  /** Finds the tags of a page. False if the page is too large or has too many. */
  scan(body: Uint8Array, mostLinks: number): boolean {
    const { length } = body;
    if (length > this.#room) return false;
    this.#input.set(body);
    this.#input.fill(0, length, length + PADDING);
    this.#state[STATE.templates] = 0;
    this.#state[STATE.records] = 0;
    let at = this.#scan(0, length);
    let scanner: TagScanner | undefined;
    while (at !== length) {
      if (at < 0) return false;
      scanner ??= new TagScanner(body, latin1Of(body)(0, length));
      at = this.#scanForeign(scanner, at);
      if (at >= 0) at = this.#scan(at, length);
    }
    return this.#state[STATE.records] <= mostLinks;
  }

  /** Reads the `<svg>` or `<math>` at a position; returns where to continue, -1 if nothing fits. */
  #scanForeign(scanner: TagScanner, at: number): number {
    scanner.resume(at, this.#state[STATE.templates]);
    let tag: Tag;
    do {
      tag = scanner.next();
      if (tag !== TAG.end && !this.#record(tag, scanner)) return -1;
    } while (scanner.inForeign && tag !== TAG.end);
    this.#state[STATE.templates] = scanner.templates;
    return scanner.tagEnd;
  }

  /** Records the tag that a scanner has found. False if there is no room. */
  #record(tag: Tag, scanner: TagScanner): boolean {
    const records = this.#records;
    const number = this.#state[STATE.records];
    if (number === this.#mostRecords) return false;
    const at = number * RECORD;
    records[at] = tag;
    records.fill(-1, at + VALUE, at + RECORD);
    const put = (slot: number, name: string): boolean => {
      const attribute = scanner.attribute(name);
      if (attribute < 0) return false;
      records[at + slot] = scanner.valueStart(attribute);
      records[at + slot + 1] = scanner.valueEnd(attribute);
      return true;
    };
    if (tag === TAG.title) {
      records[at + VALUE] = scanner.contentStart;
      records[at + VALUE + 1] = scanner.contentEnd;
    } else if (tag === TAG.meta) {
      put(VALUE, 'content');
      put(ABOUT, 'http-equiv');
      put(NAME, 'name');
      put(CHARSET, 'charset');
    } else {
      const inFrame = tag === TAG.frame || tag === TAG.iframe;
      const hasValue =
        put(VALUE, inFrame ? 'src' : 'href') || (scanner.inSvg && put(VALUE, 'xlink:href'));
      if (!hasValue) return true;
      if (!inFrame) put(ABOUT, 'rel');
    }
    this.#state[STATE.records]++;
    return true;
  }

  /** The first record of a tag. */
  #first(tag: Tag): number {
    const records = this.#records;
    for (let i = 0; i < this.#state[STATE.records]; i++) if (records[i * RECORD] === tag) return i;
    return -1;
  }

  #span(record: number, slot: number): Span | undefined {
    const at = record * RECORD + slot;
    const start = this.#records[at];
    return start < 0 ? undefined : { start, end: this.#records[at + 1] };
  }

  /** The value of the first tag of a kind. */
  firstValue(tag: Tag): Span | undefined {
    const record = this.#first(tag);
    return record < 0 ? undefined : this.#span(record, VALUE);
  }

  /** The encoding that the first `<meta>` with a known one declares. */
  declared(body: Uint8Array): string | undefined {
    const page = latin1Of(body);
    for (let i = 0; i < this.#state[STATE.records]; i++) {
      if (this.#records[i * RECORD] !== TAG.meta) continue;
      const raw = (slot: number) => {
        const span = this.#span(i, slot);
        return span && page(span.start, span.end);
      };
      const declared = encodingDeclared(raw(CHARSET), raw(ABOUT), raw(VALUE));
      if (declared !== undefined) return declared;
    }
    return undefined;
  }

  /** The tags `<meta name content>`. */
  named(): Omit<Reference, 'tag'>[] {
    const named: Omit<Reference, 'tag'>[] = [];
    for (let i = 0; i < this.#state[STATE.records]; i++) {
      if (this.#records[i * RECORD] !== TAG.meta) continue;
      const value = this.#span(i, VALUE);
      const about = this.#span(i, NAME);
      if (value && about) named.push({ value, about });
    }
    return named;
  }

  /** Makes the links of the page; undefined if they do not fit, or if nothing is plain. */
  links(
    { resolver, reader, hasBase }: LinkParts,
    options: ParseOptions,
  ): { readonly links: PackedLinks; readonly refused: number } | undefined {
    const state = this.#state;
    const { plainBase } = resolver;
    if (plainBase === undefined || plainBase.document.length > this.#base.length) return undefined;
    const { document, originLength } = plainBase;
    // A parameter to drop may be in the folder that references are joined to.
    if (options.drop !== undefined && document.includes(';')) return undefined;
    this.#base.write(document, 'latin1');
    state[STATE.originLength] = originLength;
    state[STATE.documentLength] = document.length;
    state[STATE.isHttps] = document.startsWith('https:') ? 1 : 0;
    state[STATE.hasBase] = hasBase ? 1 : 0;
    state[STATE.drops] = options.drop === undefined ? 0 : 1;
    state[STATE.maxUrl] = options.maxUrlLength ?? MAX_URL_LENGTH;
    state[STATE.maxAttribute] = options.maxAttributeLength ?? MAX_ATTRIBUTE_LENGTH;
    state[STATE.outAt] = 0;
    state[STATE.links] = 0;
    state[STATE.refused] = 0;
    if (options.origins) this.#beginOrigins();
    else state[STATE.origins] = -1;
    const count = state[STATE.records];
    for (let i = this.#resolve(0); i !== count; i = this.#resolve(i + 1))
      if (i < 0 || !this.#readOdd(i, reader)) return undefined;
    return { links: this.#packed(), refused: state[STATE.refused] + reader.refused };
  }

  /** Resolves a record that is not plain. False if there is no room for its URL. */
  #readOdd(record: number, reader: ReferenceReader): boolean {
    const tag = this.#records[record * RECORD] as Tag;
    const value = this.#span(record, VALUE);
    const about = this.#span(record, ABOUT);
    // A `<meta>` without `http-equiv` is no reference.
    if (value === undefined || (about === undefined && tag === TAG.meta)) return true;
    const link = reader.read({ tag, value, about });
    if (link === undefined) return true;
    const start = this.#state[STATE.outAt];
    const end = start + link.url.length;
    if (end > this.#out.length) return false;
    this.#out.write(link.url, start, 'latin1');
    this.#putLink(end, link.nofollow ? 1 : 0, kindNumber(link.kind));
    return true;
  }

  #packed(): PackedLinks {
    const marks = this.#marks;
    const count = this.#state[STATE.links];
    const text = this.#out.toString('latin1', 0, this.#state[STATE.outAt]);
    const ends = new Array<number>(count);
    const kinds = new Array<number>(count);
    for (let i = 0; i < count; i++) {
      ends[i] = marks[i] >> MARK_BITS;
      kinds[i] = marks[i] & ((1 << MARK_BITS) - 1);
    }
    return new PackedLinks(new PackedUrls(text, ends), kinds, this.#packedOrigins());
  }

  #packedOrigins(): PackedUrls | undefined {
    const count = this.#state[STATE.origins];
    if (count < 0) return undefined;
    const ends = new Array<number>(count);
    for (let i = 0; i < count; i++) ends[i] = this.#originEnds[i];
    return new PackedUrls(this.#origins.toString('latin1', 0, ends[count - 1] ?? 0), ends);
  }
}

interface LinkParts {
  readonly resolver: Resolver;
  readonly reader: ReferenceReader;
  readonly hasBase: boolean;
}

let shared: LinkKernel | undefined;

/**
 * Finds the tags of a page; undefined if they are too many for the kernel. Valid until the next
 * call.
 */
export function scanPacked(body: Uint8Array, options: ParseOptions): LinkKernel | undefined {
  if (options.texts) return undefined;
  shared ??= new LinkKernel();
  return shared.scan(body, options.maxLinks ?? MAX_LINKS) ? shared : undefined;
}

/** Reads the page that was scanned last; undefined if its links do not fit. */
export function readPacked(
  kernel: LinkKernel,
  body: Uint8Array,
  charset: string,
  context: PageContext,
  options: ParseOptions,
): ParsedPage | undefined {
  const most = options.maxAttributeLength ?? MAX_ATTRIBUTE_LENGTH;
  const values = new Values(body, undefined, charset, most);
  const href = kernel.firstValue(TAG.base);
  const base = baseUrl(href && values.attribute(href), context.url);
  const resolver = new Resolver(base, urlOptions(options));
  const hasBase = href !== undefined;
  const reader = new ReferenceReader({ values, resolver, charset, hasBase, plainUrl: noneIsPlain });
  const found = kernel.links({ resolver, reader, hasBase }, options);
  if (found === undefined) return undefined;
  const { links, refused } = found;
  const title = kernel.firstValue(TAG.title);
  return {
    get links() {
      return links.all;
    },
    packed: links,
    base,
    canonical: links.firstOf('canonical'),
    robots: robotsOf(kernel.named(), values, context, options),
    charset,
    title: () => title && values.title(title),
    refused,
    truncated: false,
    cut: 0,
  };
}

/** The kernel has looked: what it leaves is not plain. */
const noneIsPlain = (): undefined => undefined;
