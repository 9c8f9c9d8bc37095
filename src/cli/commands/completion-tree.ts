/** The commands and flags of the program as plain data, for the completion scripts. */
import type { Argument, Command, Option } from 'commander';
import { SETTING_ROWS } from '../../config/settings.ts';

export interface CommandWords {
  /** What a user types after the program's name: `domains set`; '' is the program itself. */
  readonly path: string;
  readonly description: string;
  readonly commands: readonly { readonly name: string; readonly description: string }[];
  readonly flags: readonly Flag[];
  /** The kind of its arguments. */
  readonly takes: Takes;
}

export interface Flag {
  readonly name: string;
  readonly description: string;
  /** The kind of its value, or the choices; undefined for a flag without a value. */
  readonly value: Takes | readonly string[] | undefined;
}

export type Takes = 'folder' | 'file' | 'text' | 'nothing';

/** All commands, the program first. */
export function commandTree(program: Command): CommandWords[] {
  const walk = (command: Command, path: string): CommandWords[] => [
    {
      path,
      description: firstSentence(command.description()),
      commands: command.commands.map((one) => ({
        name: one.name(),
        description: firstSentence(one.description()),
      })),
      flags: [
        ...command.options.flatMap(flagOf),
        { name: '--help', description: 'print help', value: undefined },
      ],
      takes: argumentsOf(command.registeredArguments),
    },
    ...command.commands.flatMap((one) => walk(one, `${path} ${one.name()}`.trim())),
  ];
  return walk(program, '');
}

function flagOf(option: Option): Flag[] {
  if (option.long === undefined || option.long === null || option.hidden) return [];
  const standsAlone = !option.required && !option.optional;
  return [
    {
      name: option.long,
      description: firstSentence(option.description),
      value: standsAlone || option.optional ? undefined : valueTaken(option),
    },
  ];
}

function valueTaken(option: Option): Takes | readonly string[] {
  const setting = SETTING_ROWS.find(([, { flag }]) => `--${flag}` === option.long);
  return option.argChoices ?? setting?.[1].type.choices ?? kindOf(option.flags);
}

function argumentsOf(all: readonly Argument[]): Takes {
  if (all.length === 0) return 'nothing';
  return kindOf(all.map((one) => `${one.name()} ${one.description}`).join(' '));
}

/** Guesses the kind of a value from the words that describe it. */
function kindOf(text: string): Takes {
  if (/\bfiles?\b/i.test(text)) return 'file';
  return /\b(folder|dir|graph|crawl|place)\b/i.test(text) ? 'folder' : 'text';
}

/** The first sentence, shortened to 70 characters. */
function firstSentence(text: string): string {
  const [sentence] = text.split(/[.;:(]\s|\.$|\s\(/);
  return sentence.length <= 70 ? sentence : `${sentence.slice(0, 69)}…`;
}
