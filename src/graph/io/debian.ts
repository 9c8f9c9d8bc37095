/**
 * Debian's indexes of packages (`Packages`): a node for each package, an arc to each package that
 * it may need.
 *
 * Idea      A dependency may be a choice (`a | b`), and a name may be virtual: no package has it,
 *           some provide it. The graph has no node for either. There is an arc to every package
 *           of a choice, and to every package that provides a virtual name. So all nodes are
 *           packages, and what a package reaches is everything that it may pull in.
 * Requires  stanzas of `Field: value` lines, as deb-control(5) describes them.
 * Ensures   Depends and Pre-Depends count. Versions, architectures and build profiles do not. A
 *           package that is there twice (in two files, in two versions) is one node with the arcs
 *           of all. A package has no arc to itself. A name that no package has or provides is
 *           counted, and has no node. Anything that is no stanza is refused with file and line.
 * Costs     two passes over the files; the names of all packages in memory.
 */
import { DrumlinError } from '../../base/errors.ts';
import { formatCount } from '../../base/units.ts';
import type { Disk } from '../../disk/disk.ts';
import { malformed, type ReadProgress, readLines } from '../../disk/text-input.ts';
import { MAX_NAME_BYTES } from '../name-format.ts';

/** The fields of a stanza that matter here. */
type Field = 'Package' | 'Depends' | 'Pre-Depends' | 'Provides';
const FIELDS: ReadonlySet<string> = new Set<Field>([
  'Package',
  'Depends',
  'Pre-Depends',
  'Provides',
]);

interface Stanza {
  readonly path: string;
  /** Where it begins. */
  readonly line: number;
  readonly fields: ReadonlyMap<Field, string>;
}

const FIELD_LINE = /^([!-9;-~]+):(.*)$/;
const NAME = /^[A-Za-z0-9][A-Za-z0-9+._~-]*$/;
/** A name, `:any`, (>= 1.2), [amd64], <!nocheck>: all but the name optional. */
const DEPENDENCY =
  /^([^\s:()[\]<>]+)(?::[A-Za-z0-9-]+)?\s*(?:\([^()]*\))?\s*(?:\[[^[\]]*\])?\s*(?:<[^<>]*>\s*)*$/;

export class DebianPackages {
  readonly #disk: Disk;
  readonly #files: readonly string[];
  readonly #packages = new Set<string>();
  /** The packages that provide a name. */
  readonly #providers = new Map<string, Set<string>>();
  /** Names that are neither packages nor provided. */
  readonly #missing = new Set<string>();
  #unmet = 0;

  constructor(disk: Disk, files: readonly string[]) {
    for (const path of files) refuseCompressed(path);
    this.#disk = disk;
    this.#files = files;
  }

  /** Reads which packages there are; `arcs` needs it. */
  async readNames(onRead?: ReadProgress): Promise<void> {
    for await (const stanza of this.#stanzas(onRead)) {
      const name = nameOf(stanza);
      this.#packages.add(name);
      for (const provided of namesIn(stanza, 'Provides')) {
        const providers = this.#providers.get(provided);
        if (providers) providers.add(name);
        else this.#providers.set(provided, new Set([name]));
      }
    }
    if (this.#packages.size > 0) return;
    throw new DrumlinError(
      'GRAPH_INPUT',
      `There is no package in ${this.#files.join(' and ')}.`,
      'Name an index of packages, such as those in /var/lib/apt/lists.',
    );
  }

  /** Arcs by name; a package without dependencies comes alone. */
  async *arcs(onRead?: ReadProgress): AsyncGenerator<readonly [string, string?]> {
    for await (const stanza of this.#stanzas(onRead)) {
      const name = nameOf(stanza);
      yield [name];
      for (const field of ['Pre-Depends', 'Depends'] as const) {
        for (const wanted of namesIn(stanza, field)) {
          for (const target of this.#whoIs(wanted)) if (target !== name) yield [name, target];
        }
      }
    }
  }

  /** What was left out, as a sentence, once all arcs are read; undefined if nothing was. */
  leftOut(): string | undefined {
    if (this.#unmet === 0) return undefined;
    const example = [...this.#missing].sort()[0];
    return (
      `${formatCount(this.#unmet)} dependencies left out: no package has or provides the ` +
      `${formatCount(this.#missing.size)} names that they ask for, such as ${example}`
    );
  }

  /** The packages that a name stands for. */
  #whoIs(name: string): Iterable<string> {
    if (this.#packages.has(name)) return [name];
    const providers = this.#providers.get(name);
    if (providers) return providers;
    this.#missing.add(name);
    this.#unmet++;
    return [];
  }

  async *#stanzas(onRead?: ReadProgress): AsyncGenerator<Stanza> {
    for (const path of this.#files) {
      const reader = new StanzaReader(path);
      for await (const chunk of readLines(this.#disk, path, { onRead })) {
        const lines = Buffer.from(chunk.bytes).toString('utf8').split('\n');
        lines.pop(); // nothing follows the last line end
        for (let i = 0; i < lines.length; i++) {
          const stanza = reader.add(lines[i], chunk.line + i);
          if (stanza) yield stanza;
        }
      }
      const last = reader.end();
      if (last) yield last;
    }
  }
}

/** Puts lines together to stanzas, which empty lines separate. */
class StanzaReader {
  readonly #path: string;
  #begin = 0;
  #fields = new Map<Field, string>();
  /** The field that a line which begins with a blank continues. */
  #field: string | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Returns the stanza that this line ends, if any. */
  add(line: string, number: number): Stanza | undefined {
    if (/^\s*$/.test(line)) return this.end();
    if (/^[ \t]/.test(line)) {
      if (this.#field === undefined)
        throw malformed(this.#path, number, 'continues a field, but none is before it');
      const before = this.#fields.get(this.#field as Field);
      if (before !== undefined) this.#fields.set(this.#field as Field, before + line);
      return undefined;
    }
    const match = FIELD_LINE.exec(line);
    if (!match) throw malformed(this.#path, number, 'is no "Field: value"');
    if (this.#field === undefined) this.#begin = number;
    this.#field = match[1];
    if (FIELDS.has(match[1])) this.#fields.set(match[1] as Field, match[2]);
    return undefined;
  }

  end(): Stanza | undefined {
    if (this.#field === undefined) return undefined;
    const stanza = { path: this.#path, line: this.#begin, fields: this.#fields };
    this.#fields = new Map();
    this.#field = undefined;
    return stanza;
  }
}

function nameOf({ path, line, fields }: Stanza): string {
  const name = fields.get('Package')?.trim();
  if (name === undefined) throw malformed(path, line, 'begins a stanza without a Package');
  return requireName(name, path, line);
}

function requireName(name: string, path: string, line: number): string {
  if (NAME.test(name) && name.length <= MAX_NAME_BYTES) return name;
  throw malformed(path, line, `begins a stanza with "${name}", which is no name of a package`);
}

/** The names in a list of dependencies, choices included. */
function* namesIn({ path, line, fields }: Stanza, field: Field): Generator<string> {
  for (const part of fields.get(field)?.split(/[,|]/) ?? []) {
    const text = part.trim();
    if (text === '') continue;
    const match = DEPENDENCY.exec(text);
    if (!match)
      throw malformed(path, line, `begins a stanza with "${text}" in ${field}: no dependency`);
    yield requireName(match[1], path, line);
  }
}

/** gzip is recognised by its first bytes; other compression would fail as bad text. */
function refuseCompressed(path: string): void {
  const match = /\.(xz|lz4|bz2|zst)$/.exec(path);
  if (!match) return;
  throw new DrumlinError(
    'GRAPH_INPUT',
    `${path} is compressed with ${match[1]}; only gzip and plain text can be read.`,
    `Decompress it first: ${match[1] === 'bz2' ? 'bzip2' : match[1] === 'zst' ? 'zstd' : match[1]} -dc ${path} > Packages.`,
  );
}
