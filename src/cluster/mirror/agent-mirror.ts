/**
 * Copies the checkpoints of one agent to the object store, for one owner (epoch) of the agent.
 *
 * Idea      `stage` copies what changed since the last upload to a local file, before the next
 *           checkpoint begins; `send` uploads it while the agent continues. What changed is found
 *           by comparing pieces: bytes below the length of a checkpoint are written later (the open
 *           chunks of DRUM, the last blocks of logs), so new tails alone would corrupt a restored
 *           folder.
 * Requires  No checkpoint of the agent is stored between a checkpoint and the end of its `stage`;
 *           one `stage` at a time, after the `send` before has ended. `committed` is called when
 *           the manifest is in the agent's key, and only by the owner.
 * Ensures   A manifest that `send` returns restores the folder as of its checkpoint (`restore.ts`).
 *           Nothing that one of the last two committed manifests needs is deleted, also by a
 *           stopped owner that wakes up later.
 * Cost      Of files that are written once nothing is read after their first upload. All others are
 *           read and hashed for every upload; they are as large as the memory of their structures.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Bytes } from '../../base/units.ts';
import type { Disk, DiskFile } from '../../disk/disk.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import { type CoveredFile, checkpointOf, coveredFiles } from './covered-files.ts';
import {
  encodeManifest,
  type Manifest,
  type MirroredFile,
  type Piece,
  readManifest,
  ZEROS,
} from './manifest.ts';
import { hashOf, Pack, readPart } from './pack.ts';
import { WarcFiles } from './warc-files.ts';

/** A block of a state file: what changes is often one of them. */
const PIECE_BYTES: Bytes = 4096;
/** Longer files have larger pieces, so that a manifest stays small. */
const MOST_PIECES = 2 ** 14;
const TAIL_BYTES: Bytes = 64 * 1024;
const PART_BYTES: Bytes = 8 * 2 ** 20;
/** With more packs the emptiest ones are emptied: their pieces count as changed. */
const MOST_PACKS = 24;
/** Bytes read at once. */
const READ_BYTES: Bytes = 2 ** 20;
/** Packs are sent in parts of at least this size. */
const LEAST_PACK_PART: Bytes = 2 ** 18;
/**
 * Files that are named when they are complete, and never written again: the generations of DRUM's
 * repositories, and the runs of the backlog. They are most of the bytes.
 */
const WRITTEN_ONCE = /(?:^|\/)(?:keys|records|run)\.\d+$/;
const SPOOL = 'mirror';

interface MirrorLimits {
  /** The least length of a piece. */
  readonly pieceBytes?: Bytes;
  /** At least `leastPart` of the store. */
  readonly partBytes?: Bytes;
  readonly mostPacks?: number;
}

interface AgentMirrorOptions extends MirrorLimits {
  readonly store: ObjectStore;
  readonly disk: Disk;
  /** The folder of the crawl. */
  readonly dir: string;
  readonly agent: number;
  readonly epoch: number;
  /** The committed manifest that the agent continues from; '' for a new agent. */
  readonly before: string;
}

/** A checkpoint that is copied and not sent yet. */
interface StagedCheckpoint {
  readonly sequence: number;
  /** Bytes to send, WARC files not counted. */
  readonly bytes: Bytes;
  /** Uploads it; returns the name of its manifest. */
  send(): Promise<string>;
  /** Forgets it, instead of sending it. */
  discard(): Promise<void>;
}

type Settings = AgentMirrorOptions & Required<MirrorLimits>;

export class AgentMirror {
  readonly #options: Settings;
  readonly #warcs: WarcFiles;
  /** The last manifest that was sent: its pieces are in the store. */
  #base: Manifest | undefined;
  /** Manifests that may still be needed, by name, the oldest first. */
  readonly #sent = new Map<string, { readonly manifest: Manifest; isCommitted: boolean }>();
  /** Objects of uploads that failed. */
  #waste: string[] = [];

  private constructor(options: Settings, before: Manifest | undefined) {
    this.#options = options;
    this.#base = before;
    this.#warcs = new WarcFiles({ ...options, tailBytes: TAIL_BYTES }, before);
    if (before) this.#sent.set(options.before, { manifest: before, isCommitted: true });
  }

  /**
   * Puts the WARC files of a predecessor into the archive, each at exactly its committed length,
   * unless they are on this disk.
   */
  static async open(options: AgentMirrorOptions): Promise<AgentMirror> {
    const { store, before } = options;
    const manifest = before === '' ? undefined : await readManifest(store, before);
    const settings: Settings = {
      ...options,
      pieceBytes: options.pieceBytes ?? PIECE_BYTES,
      partBytes: Math.max(store.leastPart, options.partBytes ?? PART_BYTES),
      mostPacks: options.mostPacks ?? MOST_PACKS,
    };
    await options.disk.makeFolder(join(options.dir, SPOOL));
    const mirror = new AgentMirror(settings, manifest);
    if (manifest) await mirror.#warcs.adopt(manifest);
    return mirror;
  }

  /** Copies the checkpoint that is on disk now. `isFinal`: the agent writes no more. */
  async stage(isFinal = false): Promise<StagedCheckpoint> {
    const { disk, dir, agent, epoch } = this.#options;
    const checkpoint = await checkpointOf(disk, dir, agent);
    const { sequence } = checkpoint;
    const name = `agents/${agent}/${epoch}/${sequence}-${randomBytes(4).toString('hex')}`;
    const pack = await Pack.create(disk, join(dir, SPOOL, `${agent}.pack`), `${name}.pack`);
    try {
      const emptied = this.#packsToEmpty();
      const files = new Map<string, MirroredFile>();
      for await (const covered of coveredFiles(disk, dir, agent, checkpoint))
        files.set(covered.path, await this.#copyChanges(covered, emptied, pack));
      const archive = await this.#warcs.stage(checkpoint.state.archive, isFinal, pack);
      await pack.flush();
      const tailBytes = TAIL_BYTES;
      const staged = { agent, epoch, sequence, tailBytes, files, archive };
      return {
        sequence,
        bytes: pack.length,
        send: () => this.#send(name, staged, pack).finally(() => pack.discard()),
        discard: () => pack.discard(),
      };
    } catch (error) {
      await pack.discard();
      throw error;
    }
  }

  /**
   * The manifest is committed: puts finished WARC files into the archive, and deletes objects that
   * only manifests before the last two committed ones need.
   */
  async committed(name: string): Promise<void> {
    const sent = this.#sent.get(name);
    if (!sent) return;
    sent.isCommitted = true;
    await this.#warcs.finish(sent.manifest);
    await this.#deleteOlder();
  }

  async #send(name: string, staged: Omit<Manifest, 'packs'>, pack: Pack): Promise<string> {
    const { store, partBytes } = this.#options;
    const key = `${name}.json`;
    try {
      const archive = await this.#warcs.send(staged.archive);
      await pack.send(store, Math.max(partBytes, LEAST_PACK_PART));
      const manifest: Manifest = { ...staged, archive, packs: this.#packsOf(staged, pack) };
      await store.put(key, encodeManifest(manifest));
      this.#base = manifest;
      this.#sent.set(key, { manifest, isCommitted: false });
      return key;
    } catch (error) {
      this.#waste.push(pack.name, key);
      throw error;
    }
  }

  /** Compares the pieces of a file with those of the last upload, and packs the others. */
  async #copyChanges(
    { path, length, file }: CoveredFile,
    emptied: ReadonlySet<string>,
    pack: Pack,
  ): Promise<MirroredFile> {
    const before = this.#base?.files.get(path);
    const pieces: Piece[] = [];
    const pieceBytes = pieceBytesFor(length, this.#options.pieceBytes);
    const isSame = before?.length === length && WRITTEN_ONCE.test(path);
    const reader = new StepReader(file, length, Math.max(pieceBytes, READ_BYTES));
    for (let at = 0; at < length; at += pieceBytes) {
      const known = before?.pieces[at / pieceBytes];
      const n = Math.min(pieceBytes, length - at);
      const sameLength =
        before?.pieceBytes === pieceBytes && n === Math.min(pieceBytes, before.length - at);
      const usable = sameLength && known && !emptied.has(known.object) ? known : undefined;
      if (usable && isSame) pieces.push(usable);
      else pieces.push(await pieceOf(await reader.read(at, n), usable, pack));
    }
    return { length, pieceBytes, pieces };
  }

  #packsOf(staged: Omit<Manifest, 'packs'>, pack: Pack): Map<string, Bytes> {
    const lengths = new Map([...(this.#base?.packs ?? []), [pack.name, pack.length] as const]);
    const used = liveBytes(staged);
    return new Map([...lengths].filter(([name]) => used.has(name)));
  }

  /** If there are too many packs: those with the least bytes in use, a half of them. */
  #packsToEmpty(): ReadonlySet<string> {
    const base = this.#base;
    if (!base) return new Set();
    const used = liveBytes(base);
    const total = [...base.packs.values()].reduce((sum, each) => sum + each, 0);
    const live = [...used.values()].reduce((sum, each) => sum + each, 0);
    const { mostPacks, partBytes } = this.#options;
    if (base.packs.size < mostPacks && total <= 2 * live + 4 * partBytes) return new Set();
    const share = ([name, length]: readonly [string, Bytes]) => (used.get(name) ?? 0) / length;
    const emptiest = [...base.packs].sort((a, b) => share(a) - share(b));
    return new Set(emptiest.slice(0, Math.ceil(emptiest.length / 2)).map(([name]) => name));
  }

  async #deleteOlder(): Promise<void> {
    const { store } = this.#options;
    const all = [...this.#sent];
    const committed = all.filter(([, { isCommitted }]) => isCommitted);
    const firstKept = committed.length < 2 ? 0 : all.indexOf(committed[committed.length - 2]);
    const kept = new Set(
      all.slice(firstKept).flatMap(([, { manifest }]) => [...manifest.packs.keys()]),
    );
    const older = all.slice(0, firstKept);
    const gone = older.flatMap(([name, { manifest }]) => [name, ...manifest.packs.keys()]);
    const waste = this.#waste;
    for (const name of new Set([...gone, ...waste])) if (!kept.has(name)) await store.delete(name);
    this.#waste = [];
    for (const [name] of older) this.#sent.delete(name);
  }
}

/** The piece as it is in the store, if it is unchanged; otherwise it is added to the pack. */
async function pieceOf(bytes: Buffer, known: Piece | undefined, pack: Pack): Promise<Piece> {
  if (isZeros(bytes)) return ZEROS;
  const sum = hashOf(bytes);
  return known?.sum === sum ? known : pack.add(bytes, sum);
}

const isZeros = (bytes: Buffer): boolean => bytes[0] === 0 && bytes.equals(zeros(bytes.length));

let nothing = Buffer.alloc(0);
function zeros(length: Bytes): Buffer {
  if (nothing.length < length) nothing = Buffer.alloc(length);
  return nothing.subarray(0, length);
}

/** Reads pieces of a file in order, many with each call of the system. */
class StepReader {
  readonly #file: DiskFile;
  readonly #length: Bytes;
  readonly #step: Bytes;
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;

  constructor(file: DiskFile, length: Bytes, step: Bytes) {
    this.#file = file;
    this.#length = length;
    this.#step = step;
  }

  async read(at: number, length: Bytes): Promise<Buffer> {
    if (at + length > this.#start + this.#bytes.length) {
      this.#start = at;
      this.#bytes = await readPart(this.#file, at, Math.min(this.#step, this.#length - at));
    }
    return this.#bytes.subarray(at - this.#start, at - this.#start + length);
  }
}

function pieceBytesFor(length: Bytes, least: Bytes): Bytes {
  let bytes = least;
  while (length > bytes * MOST_PIECES) bytes *= 2;
  return bytes;
}

/** How many bytes of each pack a manifest refers to. */
function liveBytes({ files, archive }: Pick<Manifest, 'files' | 'archive'>): Map<string, Bytes> {
  const live = new Map<string, Bytes>();
  const count = (pieces: readonly Piece[], bytes: Bytes) => {
    for (const { object } of pieces)
      if (object !== '') live.set(object, (live.get(object) ?? 0) + bytes);
  };
  for (const { pieces, pieceBytes } of files.values()) count(pieces, pieceBytes);
  for (const { tail } of archive) count(tail, TAIL_BYTES);
  return live;
}
