/** Peers in Java: Maven fetches what they need, javac compiles our driver. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { builds, type Contender, missing, PEERS, type Program } from './contender.ts';

interface JavaPeer {
  readonly source: string;
  /** Runs its class `Peer`. */
  program(options: readonly string[], args: readonly string[]): Program;
}

/** The peer of a folder with a pom.xml and a Peer.java; undefined without its tools. */
export function javaPeer(name: string): JavaPeer | undefined {
  const source = join(PEERS, name);
  const jars = join(source, 'node_modules');
  const copy = ['-q', '-B', 'dependency:copy-dependencies', '-DincludeScope=runtime'];
  if (!existsSync(jars) && !builds('mvn', [...copy, `-DoutputDirectory=${jars}`], source))
    return undefined;
  const path = `${jars}/*:${join(jars, 'classes')}`;
  const compile = ['-nowarn', '-d', join(jars, 'classes'), '-cp', path, 'Peer.java'];
  if (!builds('javac', compile, source)) return undefined;
  return {
    source,
    program: (options, args) => ({
      command: 'java',
      args: [...options, '-cp', path, 'Peer', ...args],
      cwd: source,
    }),
  };
}

export const missingJava = (name: string): Contender[] =>
  missing(name, 'It needs a JDK (17 or newer) and Maven.');
