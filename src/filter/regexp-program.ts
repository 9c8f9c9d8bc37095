/**
 * A regular expression as a program of a nondeterministic automaton (Thompson, 1968).
 *
 * Ensures   The program has at most `MOST_INSTRUCTIONS` instructions; counted repetitions are
 *           written out. A larger expression is refused with NotRegular.
 */
import type { CharacterSet } from './regexp-characters.ts';
import { type Assertion, NotRegular, type RegexpNode } from './regexp-parse.ts';

const MOST_INSTRUCTIONS = 10_000;

export type Instruction =
  /** Consumes one character of the set. */
  | { readonly op: 'set'; readonly set: CharacterSet }
  | { readonly op: 'assertion'; readonly what: Assertion }
  /** Continues at both places. */
  | { op: 'split'; first: number; second: number }
  | { op: 'jump'; to: number }
  | { readonly op: 'match' };

export function programOf(node: RegexpNode): readonly Instruction[] {
  const program: Instruction[] = [];
  write(node, program);
  add(program, { op: 'match' });
  return program;
}

function add<T extends Instruction>(program: Instruction[], instruction: T): T {
  if (program.length >= MOST_INSTRUCTIONS)
    throw new NotRegular(`more than ${MOST_INSTRUCTIONS} steps when its repetitions are counted`);
  program.push(instruction);
  return instruction;
}

function write(node: RegexpNode, program: Instruction[]): void {
  switch (node.kind) {
    case 'set':
      add(program, { op: 'set', set: node.set });
      break;
    case 'assertion':
      add(program, { op: 'assertion', what: node.what });
      break;
    case 'sequence':
      for (const part of node.parts) write(part, program);
      break;
    case 'choice':
      writeChoice(node.options, program);
      break;
    case 'repeat':
      writeRepeat(node.node, node.min, node.max, program);
  }
}

function writeChoice(options: readonly RegexpNode[], program: Instruction[]): void {
  const ends: { to: number }[] = [];
  options.forEach((option, i) => {
    const isLast = i === options.length - 1;
    const split = isLast ? undefined : add(program, { op: 'split', first: 0, second: 0 });
    if (split) split.first = program.length;
    write(option, program);
    if (!isLast) ends.push(add(program, { op: 'jump', to: 0 }));
    if (split) split.second = program.length;
  });
  for (const end of ends) end.to = program.length;
}

function writeRepeat(node: RegexpNode, min: number, max: number, program: Instruction[]): void {
  for (let i = 0; i < min; i++) {
    const before = program.length;
    write(node, program);
    if (program.length === before) return; // a repetition of nothing
  }
  if (max === Infinity) {
    const split = add(program, { op: 'split', first: program.length + 1, second: 0 });
    const start = program.length - 1;
    write(node, program);
    add(program, { op: 'jump', to: start });
    split.second = program.length;
    return;
  }
  const splits: { second: number }[] = [];
  for (let i = min; i < max; i++) {
    splits.push(add(program, { op: 'split', first: program.length + 1, second: 0 }));
    write(node, program);
  }
  for (const split of splits) split.second = program.length;
}
