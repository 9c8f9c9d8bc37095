/**
 * Pages that are not there and say so with status 200 ("soft 404").
 *
 * Idea      When pages of a host at unrelated addresses turn out to be one text, a page that cannot exist is asked for, once, beside
 *           them. If it comes with status 200 and that text, the text is the host's way to say "not found". No words are
 *           looked for, so it works in every language; a host that answers with 404 is never suspected again.
 * Requires  that the caller fetches the address that `suspect` returns as any other: in the host's turn, if robots.txt allows.
 * Ensures   at most one such question a host, and only to hosts that give reason. Memory is bounded: the host that was used longest
 *           ago is forgotten.
 */
import { FieldReader, FieldWriter } from '../base/fields.ts';
import { ownCopy } from '../base/own-copy.ts';
import { xxh64 } from '../base/xxh64.ts';
import { originOf } from '../url/parts.ts';
import { type Fingerprint, SAME_TEXT, SKETCH_WORDS, similarity } from './fingerprint.ts';

const MOST_HOSTS = 4096;
/** Unrelated pages with the text of an earlier one before it is asked. */
const SUSPICIOUS = 2;

type Stage = 'watched' | 'asked' | 'soft' | 'honest';
const STAGES: readonly Stage[] = ['watched', 'asked', 'soft', 'honest'];

interface Watched {
  stage: Stage;
  /** The text that came again, and how often it did. */
  sketch: Uint32Array;
  seen: number;
  /** What was asked for. */
  question: string;
}

export class SoftErrors {
  /** By origin, the one used last at the end. */
  readonly #hosts = new Map<string, Watched>();
  readonly #mostHosts: number;

  constructor(mostHosts = MOST_HOSTS) {
    this.#mostHosts = mostHosts;
  }

  /** A page of status 200 is like an earlier one of its host, and their addresses have nothing to do with each other. */
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

  /** Whether a URL is one that we made up. */
  isQuestion(url: string): boolean {
    return this.#hosts.get(originOf(url))?.question === url;
  }

  /** A question was answered; without a fingerprint by something else than a page of status 200. */
  answered(url: string, fingerprint: Fingerprint | undefined): boolean {
    const host = this.#hosts.get(originOf(url));
    if (host === undefined || host.question !== url) return false;
    host.stage = fingerprint && isSame(host.sketch, fingerprint.sketch) ? 'soft' : 'honest';
    return host.stage === 'soft';
  }

  /** Whether a page of status 200 says that it is not there. */
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

  /** Takes what `encode` made, into an empty one. */
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

/** In the folder of a page that is suspected, under a name that nobody has; always the same for a folder. */
function questionBeside(url: string): string {
  const question = url.indexOf('?');
  const path = question < 0 ? url : url.slice(0, question);
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return `${folder}${xxh64(folder).toString(36)}.html`;
}
