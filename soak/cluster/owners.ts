/**
 * Who owned which agent, and when: read from the book of the cluster, by the clock of the lab. The
 * watch goes straight to the brokers; while none of them answers, nobody can change an owner.
 */
import { connectBrokers } from '../../src/cluster/broker/connect.ts';
import { type AgentEntry, agentKey } from '../../src/cluster/lease/agent-lease.ts';

/** An agent has a new owner. */
export interface Change {
  readonly agent: number;
  readonly epoch: number;
  readonly at: number;
  /** The last sign of the owner before; `at` if it had released the agent. */
  readonly since: number;
  /** It was taken from another worker, which had not released it. */
  readonly isTakeover: boolean;
  /** Pages of the committed checkpoint that the new owner begins with. */
  readonly pages: number;
}

interface Known {
  readonly entry: AgentEntry;
  readonly at: number;
}

export class Owners {
  readonly changes: Change[] = [];
  readonly #known = new Map<number, Known>();
  #close: () => Promise<void> = async () => {};

  static async watch(brokers: string, name: string, agents: number): Promise<Owners> {
    const owners = new Owners();
    const connected = await connectBrokers(brokers, {});
    const book = await connected.book(name);
    const numbers = new Map(Array.from({ length: agents }, (_, n) => [agentKey(n), n]));
    const stop = await book?.watch((key, entry) => {
      const agent = numbers.get(key);
      if (agent !== undefined && entry) owners.#saw(agent, entry.value as AgentEntry);
    });
    owners.#close = async () => {
      stop?.();
      await connected.close();
    };
    return owners;
  }

  #saw(agent: number, entry: AgentEntry): void {
    const at = Date.now();
    const before = this.#known.get(agent);
    // A watch that began again tells everything once more.
    if (before && before.entry.epoch === entry.epoch && before.entry.beat === entry.beat) return;
    if (before && entry.epoch > before.entry.epoch && entry.epoch > 1) {
      const { worker } = before.entry;
      const isTakeover = worker !== '' && worker !== entry.worker;
      const since = worker === '' ? at : before.at;
      this.changes.push({ agent, epoch: entry.epoch, at, since, isTakeover, pages: entry.pages });
    }
    this.#known.set(agent, { entry, at });
  }

  /** The committed checkpoint of each agent. */
  get manifests(): string[] {
    return [...this.#known.values()].map(({ entry }) => entry.checkpoint).filter(Boolean);
  }

  /** Call it before the brokers end. */
  close(): Promise<void> {
    return this.#close();
  }
}
