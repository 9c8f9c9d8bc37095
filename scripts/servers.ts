/**
 * Real servers for tests, benchmarks and the demo of a cluster: a broker (nats-server) and an S3
 * store (SeaweedFS, or the Versity gateway), on loopback.
 *
 *   const broker = await servers.nats();          // { url, port, pid, stop() }
 *   const store = await servers.s3();             // { url, port, pid, account, bucket, stop() }
 *   const why = await servers.whyNot('nats');     // '', or why it is neither found nor fetched
 *
 * Ensures   A server listens when it is returned. Its data is in a temporary folder that `stop`
 *           deletes, unless a folder was given. Ports are free ones, unless given. `stop` ends the
 *           process by its id; so does the end of this process.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { S3Account } from '../src/objects/s3-credentials.ts';
import { S3Requests } from '../src/objects/s3-requests.ts';
import { findServer, type ServerName } from './servers/find.ts';

export interface RunningServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Where its data is. */
  readonly dir: string;
  /** Sends a signal to the process: SIGKILL, SIGSTOP, SIGCONT. */
  signal(name: NodeJS.Signals): void;
  /** Ends the process and waits for its end; deletes a temporary folder. */
  stop(): Promise<void>;
}

export interface S3Server extends RunningServer {
  readonly account: S3Account;
  readonly bucket: string;
  /** The account as the environment variables that Drumlin reads. */
  readonly env: Readonly<Record<string, string>>;
}

interface Place {
  /** Default: a temporary folder. */
  readonly dir?: string;
  /** Default: a free one. */
  readonly port?: number;
}

export interface NatsOptions extends Place {
  /** Needed, and different, for each server of a cluster. */
  readonly name?: string;
  /** The servers of a cluster: each has a port for the others, and knows all of these. */
  readonly cluster?: { readonly port: number; readonly peers: readonly number[] };
  /** `always`, or the server's own default of two minutes. */
  readonly sync?: 'always' | 'default';
  /** More lines of its configuration. */
  readonly config?: string;
}

interface S3Options extends Place {
  /** Created, if there is none. */
  readonly bucket?: string;
}

/** How often a server is started on other ports. */
const TRIES = 3;
/** How long a server may take to start on a busy machine. */
const STARTS_WITHIN = 60_000;

export const servers = {
  /** Why there is no such server; '' if there is one. */
  async whyNot(name: ServerName): Promise<string> {
    const found = await findServer(name);
    return 'path' in found ? '' : found.why;
  },

  nats(options: NatsOptions = {}): Promise<RunningServer> {
    return onFreePorts(options, () => startNats(options));
  },

  s3(options: S3Options = {}): Promise<S3Server> {
    return onFreePorts(options, () => startS3(options));
  },

  /** A port that nothing listens on. */
  freePort,
};

/** Another program may take a free port before the server does: then others are tried. */
async function onFreePorts<T>({ port }: Place, start: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await start();
    } catch (error) {
      if (tries === TRIES || port !== undefined) throw error;
    }
  }
}

async function startNats(options: NatsOptions): Promise<RunningServer> {
  const place = await placeOf('nats', options);
  const config = join(place.dir, 'nats.conf');
  writeFileSync(config, natsConfig(options, place));
  const path = await pathOf('nats');
  const running = await start(path, ['-c', config], place);
  return { ...running, url: `nats://127.0.0.1:${place.port}` };
}

async function startS3(options: S3Options): Promise<S3Server> {
  const place = await placeOf('s3', options);
  const path = await pathOf('s3');
  const account: S3Account = {
    accessKeyId: 'drumlin-test',
    secretAccessKey: 'drumlin-test-secret',
    region: 'us-east-1',
    endpoint: `http://127.0.0.1:${place.port}`,
  };
  const isGateway = /versitygw/.test(path);
  const { args, env } = isGateway ? gateway(account, place) : await seaweed(account, place);
  const running = await start(path, args, place, env);
  const bucket = options.bucket ?? 'drumlin';
  try {
    const requests = await S3Requests.open({ account, bucket, patience: STARTS_WITHIN });
    const made = requests.send({ method: 'PUT', key: '', expects: [409] });
    await Promise.race([made, running.ended.then(() => Promise.reject(new Error('it ended')))]);
  } catch (error) {
    await running.stop();
    throw error;
  }
  return { ...running, url: account.endpoint, account, bucket, env: asEnvironment(account) };
}

function asEnvironment(account: S3Account): Record<string, string> {
  return {
    AWS_ACCESS_KEY_ID: account.accessKeyId,
    AWS_SECRET_ACCESS_KEY: account.secretAccessKey,
    AWS_REGION: account.region,
    AWS_ENDPOINT_URL_S3: account.endpoint,
  };
}

async function pathOf(name: ServerName): Promise<string> {
  const found = await findServer(name);
  if ('path' in found) return found.path;
  throw new Error(`There is no ${name} server. ${found.why}`);
}

interface Placed {
  readonly dir: string;
  readonly port: number;
  readonly isTemporary: boolean;
}

async function placeOf(name: ServerName, { dir, port }: Place): Promise<Placed> {
  if (dir !== undefined) mkdirSync(dir, { recursive: true });
  return {
    dir: dir ?? mkdtempSync(join(tmpdir(), `drumlin-${name}-`)),
    port: port ?? (await freePort()),
    isTemporary: dir === undefined,
  };
}

function natsConfig(options: NatsOptions, { dir, port }: Placed): string {
  const { name = 'n0', cluster, sync = 'always', config = '' } = options;
  const routes = cluster?.peers.map((peer) => `nats-route://127.0.0.1:${peer}`) ?? [];
  return `
    server_name: ${name}
    listen: 127.0.0.1:${port}
    jetstream { store_dir: ${JSON.stringify(join(dir, 'js'))} ${sync === 'always' ? ', sync_interval: always' : ''} }
    ${cluster ? `cluster { name: drumlin, listen: 127.0.0.1:${cluster.port}, routes: ${JSON.stringify(routes)} }` : ''}
    ${config}
  `;
}

/** The S3 gateway of Versity: files in a folder. */
function gateway(account: S3Account, { dir, port }: Placed): Launch {
  const [data, attributes] = [join(dir, 'data'), join(dir, 'attributes')];
  for (const folder of [data, attributes]) mkdirSync(folder, { recursive: true });
  const args = ['--port', `127.0.0.1:${port}`, '--quiet', '--keep-alive'];
  return {
    args: [...args, 'posix', '--sidecar', attributes, data],
    env: { ROOT_ACCESS_KEY: account.accessKeyId, ROOT_SECRET_KEY: account.secretAccessKey },
  };
}

interface Launch {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** SeaweedFS: master, volume, filer and S3 in one process. */
async function seaweed(account: S3Account, { dir, port }: Placed): Promise<Launch> {
  const identity = {
    name: 'drumlin',
    credentials: [{ accessKey: account.accessKeyId, secretKey: account.secretAccessKey }],
    actions: ['Admin', 'Read', 'Write', 'List', 'Tagging'],
  };
  const config = join(dir, 's3.json');
  writeFileSync(config, JSON.stringify({ identities: [identity] }));
  const ports = await freePorts(7);
  const [master, masterRpc, volume, volumeRpc, filer, filerRpc, s3Rpc] = ports;
  const settings = {
    dir,
    ip: '127.0.0.1',
    'ip.bind': '127.0.0.1',
    'master.port': master,
    'master.port.grpc': masterRpc,
    'master.telemetry': false,
    'master.volumeSizeLimitMB': 64,
    'volume.port': volume,
    'volume.port.grpc': volumeRpc,
    'volume.max': 100,
    'volume.minFreeSpace': '10MiB',
    'filer.port': filer,
    'filer.port.grpc': filerRpc,
    'filer.localSocket': join(dir, 'filer.sock'),
    's3.port': port,
    's3.port.grpc': s3Rpc,
    's3.config': config,
    's3.autoCreateBucket': false,
  };
  const flags = Object.entries(settings).map(([name, value]) => `-${name}=${value}`);
  return { args: ['-logtostderr=true', 'server', '-filer', '-s3', ...flags], env: {} };
}

/** Starts the program and waits until its port answers. */
async function start(
  path: string,
  args: readonly string[],
  { dir, port, isTemporary }: Placed,
  env: Readonly<Record<string, string>> = {},
): Promise<Omit<RunningServer, 'url'> & { readonly ended: Promise<void> }> {
  const log = createWriteStream(join(dir, 'server.log'), { flags: 'a' });
  const child = spawn(path, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const onExit = () => child.kill('SIGKILL');
  process.once('exit', onExit);
  const stop = async () => {
    process.off('exit', onExit);
    child.kill('SIGCONT');
    child.kill(isTemporary ? 'SIGKILL' : 'SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), 3000);
    if (child.exitCode === null && child.signalCode === null) await ended;
    clearTimeout(late);
    log.end();
    if (isTemporary) rmSync(dir, { recursive: true, force: true });
  };
  const signal = (name: NodeJS.Signals) => void child.kill(name);
  try {
    await listening(port, child);
  } catch (error) {
    await stop();
    throw error;
  }
  return { port, pid: child.pid ?? 0, dir, signal, stop, ended };
}

async function listening(port: number, child: ChildProcess): Promise<void> {
  const until = Date.now() + STARTS_WITHIN;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended (${child.exitCode})`);
    if (await answers(port)) return;
    if (Date.now() > until) throw new Error(`${child.spawnfile} does not listen on ${port}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const end = (is: boolean) => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}

async function freePort(): Promise<number> {
  return (await freePorts(1))[0];
}

/** All are held until all are known, so that none is given twice. */
async function freePorts(count: number): Promise<number[]> {
  const held = await Promise.all(
    Array.from({ length: count }, () => {
      const server = createServer();
      return new Promise<typeof server>((resolve, reject) => {
        server.once('error', reject);
        server.listen(0, '127.0.0.1', () => resolve(server));
      });
    }),
  );
  const ports = held.map((server) => (server.address() as { port: number }).port);
  await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
