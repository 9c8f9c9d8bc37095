/**
 * What a web is made of: the share of each kind of domain and of each server behaviour.
 */
import { DrumlinError } from '../errors.ts';
import { KINDS } from './kinds/index.ts';
import type { KindName } from './kinds/kind.ts';

export interface Scenario {
  readonly name: string;
  /** Share of the domains that are of a kind; what is left is ordinary. */
  readonly kinds: ReadonlyMap<KindName, number>;
  /** One page more or less would be a fault: sites of exactly `pages` pages that never change in number. */
  readonly exactPages: boolean;
}

const HONEST: readonly (readonly [KindName, number])[] = [
  ['giant', 0.002],
  ['personal', 0.2],
  ['academic', 0.04],
  ['directory', 0.01],
];

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  clean: { name: 'clean', kinds: new Map(HONEST), exactPages: false },
  site: { name: 'site', kinds: new Map(), exactPages: true },
};

export const SCENARIO_NAMES: readonly string[] = Object.keys(SCENARIOS);

/** A scenario by name, with some shares set anew. */
export function scenarioOf(name: string, mix: Readonly<Record<string, number>> = {}): Scenario {
  const base = Object.hasOwn(SCENARIOS, name) ? SCENARIOS[name] : undefined;
  if (!base)
    throw new DrumlinError(
      'LAB_SCENARIO',
      `There is no scenario "${name}".`,
      `Choose one of ${SCENARIO_NAMES.join(', ')}.`,
    );
  const kinds = new Map(base.kinds);
  for (const [part, share] of Object.entries(mix)) {
    checkShare(part, share);
    if (Object.hasOwn(KINDS, part)) kinds.set(part as KindName, share);
    else
      throw new DrumlinError(
        'LAB_MIX',
        `Nothing in the lab is called "${part}".`,
        `Choose among ${Object.keys(KINDS).join(', ')}.`,
      );
  }
  checkSum([...kinds.values()]);
  return { ...base, kinds };
}

function checkShare(part: string, share: number): void {
  if (share >= 0 && share <= 1) return;
  throw new DrumlinError(
    'LAB_MIX',
    `The share of "${part}" is ${share}.`,
    'Give it between 0 and 1, or as a percentage like 5%.',
  );
}

function checkSum(shares: readonly number[]): void {
  const sum = shares.reduce((a, b) => a + b, 0);
  if (sum <= 1.000001) return;
  throw new DrumlinError(
    'LAB_MIX',
    `The shares sum to ${Math.round(sum * 100)}%.`,
    'Lower some of them until they sum to at most 100%.',
  );
}
