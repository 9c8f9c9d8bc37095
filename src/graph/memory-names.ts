/** Names that need no file: given as a list, or the ids themselves in decimal. */
import type { Names } from './graph.ts';

export class MemoryNames implements Names {
  readonly #names: readonly string[];
  readonly #ids = new Map<string, number>();

  constructor(names: readonly string[]) {
    for (let id = 0; id < names.length; id++) {
      if (id > 0 && Buffer.compare(Buffer.from(names[id - 1]), Buffer.from(names[id])) >= 0)
        throw new RangeError(`"${names[id]}" does not come after "${names[id - 1]}" in byte order`);
      this.#ids.set(names[id], id);
    }
    this.#names = names;
  }

  async name(id: number): Promise<string> {
    requireNode(id, this.#names.length);
    return this.#names[id];
  }

  async id(name: string): Promise<number | undefined> {
    return this.#ids.get(name);
  }

  async *all(): AsyncGenerator<string> {
    yield* this.#names;
  }
}

export class DecimalNames implements Names {
  readonly #nodes: number;

  constructor(nodes: number) {
    this.#nodes = nodes;
  }

  async name(id: number): Promise<string> {
    requireNode(id, this.#nodes);
    return String(id);
  }

  async id(name: string): Promise<number | undefined> {
    return /^(?:0|[1-9]\d{0,9})$/.test(name) && Number(name) < this.#nodes
      ? Number(name)
      : undefined;
  }

  async *all(): AsyncGenerator<string> {
    for (let id = 0; id < this.#nodes; id++) yield String(id);
  }
}

/** An id outside the graph is an error of the caller. */
export function requireNode(id: number, nodes: number): void {
  if (!Number.isInteger(id) || id < 0 || id >= nodes)
    throw new RangeError(`${id} is no node of a graph of ${nodes}`);
}
