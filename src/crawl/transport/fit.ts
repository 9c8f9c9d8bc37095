/** Refuses options that no transport can be made of. */
import { MOST_INCARNATIONS } from './outbox.ts';
import { requireAgents } from './routing.ts';
import type { TransportOptions } from './transport.ts';

export function requireFit({ agent, agents, incarnation = 0, state }: TransportOptions): void {
  requireAgents(agents);
  if (!Number.isInteger(agent) || agent < 0 || agent >= agents) {
    throw new Error(`There is no agent ${agent} among ${agents}.`);
  }
  if (!Number.isInteger(incarnation) || incarnation < 0 || incarnation >= MOST_INCARNATIONS) {
    throw new Error(`${incarnation} is not the number of an incarnation.`);
  }
  if (state && (state.agent !== agent || state.agents !== agents)) {
    throw new Error(
      `The state of agent ${state.agent} of ${state.agents} is given to agent ${agent} of ${agents}.`,
    );
  }
}
