/**
 * The files that an agent keeps about domains, opened and made durable together.
 *
 *   domains/book/    a record for every domain
 *   domains/edges/   which domain links to which
 *   domains/sample/  the links of sampled domains, of all agents
 *   domains/rounds/  URLs queued for a round
 *
 * Ensures   a folder opened at the state that `freeze` returned is exactly what it was then.
 */
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { together } from '../base/together.ts';
import type { Bytes, Millis } from '../base/units.ts';
import type { Frozen } from '../disk/checkpoint.ts';
import type { Disk } from '../disk/disk.ts';
import { Beast, type BeastState } from '../frontier/beast/beast.ts';
import { type BookState, DomainBook } from './budget/domain-book.ts';
import type { BudgetOf } from './budget/domain-delta.ts';
import { DomainEdges, type DomainEdgesState } from './edges/domain-edges.ts';
import { type SampleState, SupporterSample } from './edges/supporter-sample.ts';

export interface ReputationState {
  readonly book: Frozen<BookState>;
  readonly edges: Frozen<DomainEdgesState>;
  readonly sample: Frozen<SampleState>;
  readonly rounds: Frozen<BeastState>;
}

interface ReputationFolderOptions {
  readonly disk: Disk;
  readonly dir: string;
  /**
   * Three eighths each for records and edges, the rest for rounds. The sample has its own memory.
   */
  readonly memory: Bytes;
  /** Share of the domains whose links are sampled; it is halved when `mostArcs` is exceeded. */
  readonly p: number;
  readonly seed: number;
  readonly mostArcs: number;
  readonly onHalved: (p: number) => void;
  /** How long, by the clock, a link counts that is not seen again; Infinity for ever. */
  readonly edgeLife?: Millis;
  readonly clock?: Clock;
  readonly budgetOf: BudgetOf;
  /** See `DomainBook`. */
  readonly spamByName?: ((name: string) => number) | undefined;
  readonly at?: ReputationState | undefined;
}

const PARTS = ['book', 'edges', 'sample', 'rounds'] as const;

export const reputationFolders = (dir: string) => PARTS.map((part) => join(dir, part));

export class ReputationFolder {
  readonly book: DomainBook;
  readonly edges: DomainEdges;
  readonly sample: SupporterSample;
  readonly rounds: Beast;

  private constructor(
    book: DomainBook,
    edges: DomainEdges,
    sample: SupporterSample,
    rounds: Beast,
  ) {
    this.book = book;
    this.edges = edges;
    this.sample = sample;
    this.rounds = rounds;
  }

  static async open(options: ReputationFolderOptions): Promise<ReputationFolder> {
    const { disk, memory, p, seed, mostArcs: most, onHalved, budgetOf, spamByName, at } = options;
    const { edgeLife: life = Infinity, clock } = options;
    const [bookDir, edgesDir, sampleDir, roundsDir] = reputationFolders(options.dir);
    const opened: { close(): Promise<void> }[] = [];
    const open = async <Part extends { close(): Promise<void> }>(
      folder: string,
      part: () => Promise<Part>,
    ) => {
      await disk.makeFolder(folder);
      const result = await part();
      opened.push(result);
      return result;
    };
    const eighth = memory / 8;
    try {
      return new ReputationFolder(
        await open(bookDir, () =>
          DomainBook.open({
            ...{ disk, folder: bookDir, memory: 3 * eighth },
            ...{ budgetOf, spamByName, at: at?.book },
          }),
        ),
        await open(edgesDir, () =>
          DomainEdges.open({
            ...{ disk, folder: edgesDir, memory: 3 * eighth, at: at?.edges },
            ...{ life, clock },
          }),
        ),
        await open(sampleDir, () =>
          SupporterSample.open({
            disk,
            folder: sampleDir,
            p,
            seed,
            most,
            onHalved,
            aged: life !== Infinity,
            at: at?.sample,
          }),
        ),
        await open(roundsDir, () =>
          Beast.open({ disk, folder: roundsDir, memory: 2 * eighth, at: at?.rounds }),
        ),
      );
    } catch (error) {
      for (const part of opened) await part.close();
      throw error;
    }
  }

  async freeze(): Promise<ReputationState> {
    const [book, edges, sample, rounds] = await together([
      this.book.freeze(),
      this.edges.freeze(),
      this.sample.freeze(),
      this.rounds.freeze(),
    ]);
    return { book, edges, sample, rounds };
  }

  async discardOlder({ book, edges, sample, rounds }: ReputationState): Promise<void> {
    await together([
      this.book.discardOlder(book),
      this.edges.discardOlder(edges),
      this.sample.discardOlder(sample),
      this.rounds.discardOlder(rounds),
    ]);
  }

  async close(): Promise<void> {
    for (const part of [this.book, this.edges, this.sample, this.rounds]) await part.close();
  }
}
