/**
 * Tests texts against a regular expression in linear time.
 *
 * Idea      A deterministic automaton that is built while it runs (as in RE2). A state is the set
 *           of places of the program at which a match may be. The step from a state with a class of
 *           characters is computed once and then looked up. Characters that no set of the
 *           expression tells apart are one class.
 *
 *               text    h  t  t  p  :  …
 *               class   2  5  5  4  0  …        one table look-up per character
 *               state   S0 → S3 → S7 → …        one table look-up per step
 *
 * Ensures   The answer of `RegExp.prototype.test`. The time is at most (length of the text) times
 *           (size of the program), whatever the text. At most `MOST_STATES` states are kept; then
 *           all are forgotten and built again.
 * Cost      1 to 2 ns per character once the states are built.
 */
import { type CharacterSet, contains, WORD } from './regexp-characters.ts';
import type { Assertion, RegexpNode } from './regexp-parse.ts';
import { type Instruction, programOf } from './regexp-program.ts';

const MOST_STATES = 1000;
const ASCII = 128;

/** Targets of steps that are no states: not computed yet, no match possible, matched. */
const UNKNOWN = -1;
const DEAD = 0;
const MATCHED = 1;
const FIRST_STATE = 2;

/** What stands before or after a place of the text: nothing, a letter or digit, anything else. */
type Side = 0 | 1 | 2;
const EDGE = 0;
const WORDS = 1;
const OTHER = 2;

/** Places of the program, and what stands before the place in the text. */
interface State {
  readonly places: readonly number[];
  readonly before: Side;
  matchesAtEnd: boolean | undefined;
}

export class RegexpMatcher {
  readonly #program: readonly Instruction[];
  /** Whether what stands before and after a place matters. */
  readonly #looksAround: boolean;
  /** Whether a match may begin after the start of the text. */
  readonly #restarts: boolean;

  /** First code of each class, increasing; and the class of each ASCII code. */
  readonly #starts: readonly number[];
  readonly #asciiClasses = new Uint8Array(ASCII);
  readonly #isWord: readonly boolean[];

  /** `#steps[state * classes + class]` is the next state. */
  #steps = new Int32Array(0);
  #states: State[] = [];
  #numbers = new Map<string, number>();
  #start = 0;
  /** The round in which a place was visited, to visit it once per round. */
  readonly #visited: Float64Array;
  #round = 0;

  constructor(node: RegexpNode) {
    this.#program = programOf(node);
    this.#visited = new Float64Array(this.#program.length);
    this.#looksAround = this.#program.some(
      (instruction) => instruction.op === 'assertion' && isBoundary(instruction.what),
    );
    this.#starts = classStarts(this.#program, this.#looksAround);
    this.#isWord = this.#starts.map((code) => contains(WORD, code));
    for (let code = 0; code < ASCII; code++) this.#asciiClasses[code] = this.#classOf(code);
    this.#restarts = this.#mayBeginLater();
    this.#forget();
  }

  test(text: string): boolean {
    const classes = this.#starts.length;
    const ascii = this.#asciiClasses;
    let steps = this.#steps;
    let state = this.#start;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      const kind = code < ASCII ? ascii[code] : this.#classOf(code);
      let next = steps[state * classes + kind];
      if (next < FIRST_STATE) {
        if (next === UNKNOWN) {
          next = this.#step(state, kind);
          steps = this.#steps;
        }
        if (next < FIRST_STATE) return next === MATCHED;
      }
      state = next;
    }
    const end = this.#states[state];
    end.matchesAtEnd ??= this.#reach(end.places, end.before, EDGE).isMatch;
    return end.matchesAtEnd;
  }

  #classOf(code: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle] <= code) low = middle;
      else high = middle;
    }
    return low;
  }

  #mayBeginLater(): boolean {
    for (const before of [WORDS, OTHER] as const) {
      for (const after of [EDGE, WORDS, OTHER] as const) {
        const { sets, isMatch } = this.#reach([0], before, after);
        if (isMatch || sets.length > 0) return true;
      }
    }
    return false;
  }

  /** Computes a step and notes it in the table. */
  #step(number: number, kind: number): number {
    const { places, before } = this.#states[number];
    const side = this.#isWord[kind] ? WORDS : OTHER;
    const { sets, isMatch } = this.#reach(places, before, side);
    let next = MATCHED;
    if (!isMatch) {
      const code = this.#starts[kind];
      const after = sets.filter((at) => contains(this.#setAt(at), code)).map((at) => at + 1);
      if (this.#restarts) after.push(0);
      if (this.#states.length >= MOST_STATES) {
        this.#forget();
        return this.#stateOf(after, side);
      }
      next = this.#stateOf(after, side);
    }
    this.#steps[number * this.#starts.length + kind] = next;
    return next;
  }

  #setAt(place: number): CharacterSet {
    return (this.#program[place] as Instruction & { op: 'set' }).set;
  }

  /** The number of the state with these places. */
  #stateOf(unordered: readonly number[], side: Side): number {
    if (unordered.length === 0) return DEAD;
    const before = this.#looksAround ? side : OTHER;
    const places = [...new Set(unordered)].sort((a, b) => a - b);
    const key = `${before}:${places.join()}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    // Without boundaries a match does not depend on the next character.
    if (!this.#looksAround && this.#reach(places, before, OTHER).isMatch) return MATCHED;
    return this.#addState(key, { places, before, matchesAtEnd: undefined });
  }

  #addState(key: string, state: State): number {
    const number = this.#states.length;
    const classes = this.#starts.length;
    this.#states.push(state);
    this.#numbers.set(key, number);
    const needed = (number + 1) * classes;
    if (needed > this.#steps.length) {
      const larger = new Int32Array(Math.max(needed, 2 * this.#steps.length)).fill(UNKNOWN);
      larger.set(this.#steps);
      this.#steps = larger;
    }
    return number;
  }

  #forget(): void {
    const none: State = { places: [], before: EDGE, matchesAtEnd: undefined };
    this.#states = [none, none]; // the numbers DEAD and MATCHED are taken
    this.#numbers = new Map();
    this.#steps = new Int32Array(16 * this.#starts.length).fill(UNKNOWN);
    this.#start = this.#addState('', { ...none, places: [0] });
  }

  /** Where the program consumes a character, and whether it matches before that. */
  #reach(
    places: readonly number[],
    before: Side,
    after: Side,
  ): { readonly sets: readonly number[]; readonly isMatch: boolean } {
    const round = ++this.#round;
    const sets: number[] = [];
    const open = places.toReversed();
    let isMatch = false;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (this.#visited[at] === round) continue;
      this.#visited[at] = round;
      const instruction = this.#program[at];
      if (instruction.op === 'set') sets.push(at);
      else if (instruction.op === 'match') isMatch = true;
      else if (instruction.op === 'jump') open.push(instruction.to);
      else if (instruction.op === 'split') open.push(instruction.second, instruction.first);
      else if (holds(instruction.what, before, after)) open.push(at + 1);
    }
    return { sets, isMatch };
  }
}

const isBoundary = (what: Assertion): boolean => what === 'word' || what === 'not-word';

function holds(what: Assertion, before: Side, after: Side): boolean {
  switch (what) {
    case 'start':
      return before === EDGE;
    case 'end':
      return after === EDGE;
    case 'word':
      return (before === WORDS) !== (after === WORDS);
    case 'not-word':
      return (before === WORDS) === (after === WORDS);
  }
}

/** The first code of each class of characters that the program does not tell apart. */
function classStarts(program: readonly Instruction[], looksAround: boolean): number[] {
  const starts = new Set([0]);
  const sets = program.flatMap((instruction) =>
    instruction.op === 'set' ? [instruction.set] : [],
  );
  for (const set of looksAround ? [...sets, WORD] : sets) {
    for (const [from, to] of set) {
      starts.add(from);
      if (to < 0xffff) starts.add(to + 1);
    }
  }
  return [...starts].sort((a, b) => a - b);
}
