/**
 * The numbers of rounds: the arithmetic of BEAST's queues, without the queues.
 *
 * Idea      The paper's Q1 … Qj are reused; a round is one use of one of them, and rounds are
 *           numbered from 1 without end. Beside the queue being read there are j - 1 others, each
 *           for one of the next rounds:
 *
 *   j = 4       Q1   Q2   Q3   Q4                        Q5   Q6   Q7   Q8
 *   begin        1    2    3    4                                           last 4 = round + j
 *   round 1    [ 1 ]  2    3    4                                           last 4 = round + j - 1
 *   round 2      5  [ 2 ]  3    4   the wrap-around                         last 5
 *   round 4      5    6    7  [ 4 ] the end of the cycle                    last 7
 *   rescan       5    6    7    8   j = 8: four more ─►   9   10   11   12  last 12 = round + j
 *   round 5    [ 5 ]  6    7    8                         9   10   11   12  last 12 = round + j - 1
 *
 *           While no round is read, at the start and in a rescan, all j queues can take entries,
 *           else all but one: `last` never decreases. A cycle ends with the round that was `last`
 *           when it began.
 */
export interface RoundsState {
  readonly round: number;
  readonly queues: number;
  readonly cycleEnd: number;
  readonly isReading: boolean;
}

export class Rounds {
  readonly #mostQueues: number;
  #round: number;
  #queues: number;
  #cycleEnd: number;
  #isReading: boolean;

  constructor(at: RoundsState, mostQueues: number) {
    this.#mostQueues = mostQueues;
    this.#round = at.round;
    this.#queues = at.queues;
    this.#cycleEnd = at.cycleEnd;
    this.#isReading = at.isReading;
  }

  static begin(queues: number, mostQueues: number): Rounds {
    if (!(Number.isSafeInteger(queues) && queues >= 1 && queues <= mostQueues)) {
      throw new Error(`There are ${queues} queues, but there must be 1 to ${mostQueues}.`);
    }
    return new Rounds({ round: 0, queues, cycleEnd: queues, isReading: false }, mostQueues);
  }

  /** The round being read, or read last; 0 before the first. */
  get round(): number {
    return this.#round;
  }

  /** The last round that entries may be put into. */
  get last(): number {
    return this.#round + this.#queues - (this.#isReading ? 1 : 0);
  }

  /** j, the number of queues. */
  get queues(): number {
    return this.#queues;
  }

  get cycleEnd(): number {
    return this.#cycleEnd;
  }

  get isReading(): boolean {
    return this.#isReading;
  }

  get state(): RoundsState {
    const { round, queues, cycleEnd, isReading } = this;
    return { round, queues, cycleEnd, isReading };
  }

  /** Moves to a later round; those between are empty. */
  moveTo(round: number): void {
    this.#round = round;
    this.#isReading = true;
  }

  rest(): void {
    this.#isReading = false;
  }

  /** Ends a cycle whose other rounds are empty; the next cycle follows. */
  endCycle(): void {
    this.#round = this.#cycleEnd;
    this.beginCycle();
  }

  beginCycle(): void {
    this.#isReading = false;
    this.#cycleEnd = this.last;
  }

  /** Ends a cycle with entries left for later: the next one is twice as long. */
  endCycleAndDouble(): void {
    this.#queues = Math.min(2 * this.#queues, Math.max(this.#queues, this.#mostQueues));
    this.endCycle();
  }
}
