/**
 * Pages that do not exist but are served with status 200 ("soft 404").
 *
 * Idea      If pages of a host at unrelated URLs have the same text, request one URL that cannot
 *           exist beside them, once. If it is served with status 200 and that text, the text is the
 *           host's "not found" page. No words are searched, so it works in every language. A host
 *           that answers with 404 is never suspected again.
 * Requires  The caller fetches the URL that `suspect` returns like any other: in the host's turn,
 *           if robots.txt allows it.
 * Ensures   At most one such request per host, and only to suspicious hosts. Memory is bounded: the
 *           least recently used host is evicted.
 */
import { FieldReader, FieldWriter } from '../base/fields.ts';
import { ownCopy } from '../base/own-copy.ts';
import { xxh64 } from '../base/xxh64.ts';
import { originOf } from '../url/parts.ts';
import { type Fingerprint, SAME_TEXT, SKETCH_WORDS, similarity } from './fingerprint.ts';

const MOST_HOSTS = 4096;
/** Unrelated pages with the text of an earlier one before the host is tested. */
const SUSPICIOUS = 2;

type Stage = 'watched' | 'asked' | 'soft' | 'honest';
const STAGES: readonly Stage[] = ['watched', 'asked', 'soft', 'honest'];

interface Watched {
  stage: Stage;
  /** The text that was repeated. */
  sketch: Uint32Array;
  /** How often it was repeated. */
  seen: number;
  /** The URL of the test request. */
  question: string;
}

export class SoftErrors {
  /** By origin, the last used at the end. */
  readonly #hosts = new Map<string, Watched>();
  readonly #mostHosts: number;

  constructor(mostHosts = MOST_HOSTS) {
    this.#mostHosts = mostHosts;
  }

  /**
   * Observes a page with status 200 that is like an earlier one of its host at an unrelated URL.
   * Returns a URL to request as a test, if any.
   */
  suspect(url: string, { sketch }: Fingerprint): string | undefined {
    const origin = originOf(url);
    const known = this.#hosts.get(origin);
    if (known === undefined || (known.stage === 'watched' && !isSame(known.sketch, sketch))) {
      if (known === undefined && this.#hosts.size >= this.#mostHosts) this.#forgetOldest();
      this.#hosts.delete(origin);
      this.#hosts.set(ownCopy(origin), {
        stage: 'watched',
        sketch: sketch.slice(),
        seen: 1,
        question: '',
      });
      return undefined;
    }
    if (known.stage !== 'watched' || ++known.seen < SUSPICIOUS) return undefined;
    known.stage = 'asked';
    known.question = questionBeside(url);
    return known.question;
  }

  /** Whether we made up this URL for a test. */
  isQuestion(url: string): boolean {
    return this.#hosts.get(originOf(url))?.question === url;
  }

  /** Handles the answer to a test; without a fingerprint it was not a page with status 200. */
  answered(url: string, fingerprint: Fingerprint | undefined): boolean {
    const host = this.#hosts.get(originOf(url));
    if (host === undefined || host.question !== url) return false;
    host.stage = fingerprint && isSame(host.sketch, fingerprint.sketch) ? 'soft' : 'honest';
    return host.stage === 'soft';
  }

  /** Whether a page with status 200 is a "not found" page. */
  isSoft(url: string, { sketch }: Fingerprint): boolean {
    if (this.#hosts.size === 0) return false;
    const origin = originOf(url);
    const host = this.#hosts.get(origin);
    if (host?.stage !== 'soft' || !isSame(host.sketch, sketch)) return false;
    this.#hosts.delete(origin);
    this.#hosts.set(ownCopy(origin), host);
    return true;
  }

  encode(): Uint8Array {
    const out = new FieldWriter();
    for (const [origin, { stage, sketch, seen, question }] of this.#hosts) {
      out.text(origin);
      out.number(STAGES.indexOf(stage));
      out.bytes(new Uint8Array(sketch.buffer, sketch.byteOffset, sketch.byteLength));
      out.number(seen);
      out.text(question);
    }
    return out.finish();
  }

  /** Restores what `encode` returned, into an empty instance. */
  restore(bytes: Uint8Array): void {
    const fields = new FieldReader(bytes);
    while (!fields.atEnd) {
      const origin = fields.text();
      const stage = STAGES[fields.number()];
      const sketch = new Uint32Array(SKETCH_WORDS);
      new Uint8Array(sketch.buffer).set(fields.bytes());
      this.#hosts.set(origin, { stage, sketch, seen: fields.number(), question: fields.text() });
    }
  }

  #forgetOldest(): void {
    const [oldest] = this.#hosts.keys();
    this.#hosts.delete(oldest);
  }
}

const isSame = (one: Uint32Array, other: Uint32Array): boolean =>
  similarity(one, 0, other, 0) >= SAME_TEXT;

/**
 * A URL in the folder of a suspected page, with a name that does not exist; always the same for a
 * folder.
 */
export function questionBeside(url: string): string {
  const question = url.indexOf('?');
  const path = question < 0 ? url : url.slice(0, question);
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return `${folder}${xxh64(folder).toString(36)}.html`;
}
