/**
 * One browser without a network: it renders one page at a time.
 *
 * Idea      Three walls keep it off the network. Every request of every target is answered by us
 *           (`Interception`); one that no target of ours has made is refused here. Names and
 *           addresses resolve to nothing (`--host-resolver-rules`), the address of the proxy
 *           included, through which everything would have to go. WebRTC may use UDP only through
 *           that proxy. So what the first wall misses fails.
 *           One page at a time: a page that hangs, crashes or eats memory is ended with the whole
 *           browser, and nothing else is lost.
 * Requires  a Chromium. Flags that weaken its sandbox only come from the user.
 * Ensures   The browser ends with `close`, when its pipe breaks and when this process ends.
 * Cost      Some 0.5 s of CPU time to start, and 150 to 300 MB of memory.
 */
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { DrumlinError, systemCode } from '../base/errors.ts';
import type { Bytes, Millis } from '../base/units.ts';
import type { Disk } from '../disk/disk.ts';
import { bytesInMemory } from '../disk/usage.ts';
import { browserFlags, PREFERENCES } from './browser-flags.ts';
import {
  type BrowserProgram,
  CdpPipe,
  type Parameters,
  type Payload,
  type ProtocolEvent,
} from './cdp-pipe.ts';

/** A tab whose requests we have taken in hand. */
export interface Tab {
  readonly targetId: string;
  readonly session: string;
  /** The origin of the page that it shows: only a page of the same one may have it next. */
  readonly origin: string;
}

export interface BrowserOptions {
  readonly program: BrowserProgram;
  readonly disk: Disk;
  readonly clock: Clock;
  readonly userAgent: string;
  /** Flags of the user, without their dashes. */
  readonly flags: readonly string[];
  /** The memory that the scripts of a page may fill. */
  readonly scriptMemory: Bytes;
}

/** In the locale of a bare server, scripts that ask for their language fail. */
const LOCALE = { LANG: 'en_US.UTF-8', LC_ALL: 'en_US.UTF-8', LANGUAGE: 'en_US' };
/** How long a browser may take to start. */
const START: Millis = 20_000;
const UNPACKING: Millis = 250;

/** A tab that does not become blank in this time is closed. */
const BLANK: Millis = 1000;

export class Browser {
  /** Pages rendered. */
  pages = 0;
  /** Name and version, such as `Chrome/156.0.8078.79`. */
  readonly product: string;
  readonly #pipe: CdpPipe;
  readonly #disk: Disk;
  readonly #clock: Clock;
  readonly #profile: string;
  #context: { readonly host: string; readonly id: string; isRepeated: boolean } | undefined;
  #listener: ((event: ProtocolEvent) => void) | undefined;
  #kept: { readonly tab: Tab; readonly isBlank: Promise<boolean> } | undefined;
  #clearing: { readonly session: string; done(): void } | undefined;

  private constructor(
    pipe: CdpPipe,
    disk: Disk,
    clock: Clock,
    { profile, product }: { readonly profile: string; readonly product: string },
  ) {
    this.#pipe = pipe;
    this.#disk = disk;
    this.#clock = clock;
    this.#profile = profile;
    this.product = String(product);
    pipe.onEvent = (event) => {
      // What no target of ours has stopped: the first load of a popup, for one.
      if (event.method === 'Fetch.requestPaused' && !event.sessionId) this.refuse(event);
      else (this.#listener ?? this.#betweenPages)(event);
    };
  }

  /** All events go to one page at a time; without one, what a page left behind is refused. */
  listen(listener: ((event: ProtocolEvent) => void) | undefined): void {
    this.#listener = listener;
  }

  static async start(options: BrowserOptions): Promise<Browser> {
    const { program, disk, clock, userAgent, flags, scriptMemory } = options;
    swept ??= removeStaleProfiles(disk).catch(() => {}); // what is left is only rubbish
    await swept;
    const profile = join(tmpdir(), `${PROFILE}${process.pid}-${randomUUID()}`);
    await makeProfile(disk, profile);
    const heap = Math.max(64, Math.floor(scriptMemory / 2 ** 20));
    const all = browserFlags(flags, { userAgent, profile, heap });
    let pipe: CdpPipe | undefined;
    let cancel: (() => void) | undefined;
    try {
      const withLocale = { ...program, env: { ...program.env, ...LOCALE } };
      pipe = await startWhenWritten(() => CdpPipe.start(withLocale, all), clock);
      cancel = clock.after(START, () => pipe?.kill());
      await Promise.all([
        pipe.call('Target.setAutoAttach', ATTACH),
        pipe.call('Fetch.enable', EVERYTHING),
      ]);
      const { product } = await pipe.call('Browser.getVersion');
      return new Browser(pipe, disk, clock, { profile, product });
    } catch (cause) {
      pipe?.kill();
      await disk.removeFolder(profile).catch(() => {});
      throw new DrumlinError(
        'BROWSER',
        `The browser ${program.path} does not start.`,
        'Run it by hand with --headless to see why. As root, and in most containers, Chromium ' +
          'starts only without its sandbox: --browser-flags no-sandbox.',
        { cause },
      );
    } finally {
      cancel?.();
    }
  }

  get pid(): number {
    return this.#pipe.pid;
  }

  get gone(): boolean {
    return this.#pipe.gone;
  }

  /** A call to the browser, or to one of its targets. */
  call(method: string, params?: Parameters, sessionId?: string): Promise<Payload> {
    return this.#pipe.call(method, params, sessionId);
  }

  tell(method: string, params?: Parameters, sessionId?: string): void {
    this.#pipe.tell(method, params, sessionId);
  }

  /**
   * The context for the pages of a host: cookies and storage of another host are never in it.
   * `made` is called with a new one.
   */
  async contextFor(host: string, made: (id: string) => Promise<void>): Promise<string> {
    if (this.#context?.host === host) {
      this.#context.isRepeated = true;
      return this.#context.id;
    }
    if (this.#context)
      await this.call('Target.disposeBrowserContext', { browserContextId: this.#context.id });
    this.#context = undefined;
    this.#kept = undefined;
    const { browserContextId: id } = await this.call('Target.createBrowserContext');
    await Promise.all([
      this.call('Browser.setDownloadBehavior', { behavior: 'deny', browserContextId: id }),
      this.call('Browser.grantPermissions', { permissions: [], browserContextId: id }),
      made(id),
    ]);
    this.#context = { host, id, isRepeated: false };
    return id;
  }

  /**
   * Ends a page. Its tab may be kept for the next page of its origin, in the same context: it has a
   * process already. What the page left behind ends, because the tab becomes blank.
   */
  leaveTab(tab: Tab, mayKeep: boolean): void {
    this.listen(undefined);
    // Pages of one host come one after the other, or hardly ever.
    if (mayKeep && this.#context?.isRepeated) this.#kept = { tab, isBlank: this.#clear(tab) };
    else this.tell('Target.closeTarget', { targetId: tab.targetId });
  }

  /** The tab that was kept, if it is one for this origin. */
  async takeTab(origin: string): Promise<Tab | undefined> {
    const kept = this.#kept;
    this.#kept = undefined;
    if (!kept) return undefined;
    if ((await kept.isBlank) && kept.tab.origin === origin) return kept.tab;
    this.tell('Target.closeTarget', { targetId: kept.tab.targetId });
    return undefined;
  }

  /** Whether the tab has become blank. */
  async #clear({ session }: Tab): Promise<boolean> {
    let cancel = () => {};
    const late = new Promise<boolean>((resolve) => {
      cancel = this.#clock.after(BLANK, () => resolve(false));
    });
    const loaded = new Promise<boolean>((resolve) => {
      this.#clearing = { session, done: () => resolve(true) };
    });
    const cleared = async () => {
      const { errorText } = await this.call('Page.navigate', { url: 'about:blank' }, session);
      if (errorText !== undefined || !(await loaded)) return false;
      await this.call('Page.resetNavigationHistory', {}, session);
      return true;
    };
    return Promise.race([cleared().catch(() => false), late]).finally(() => cancel());
  }

  readonly #betweenPages = ({ method, params, sessionId }: ProtocolEvent): void => {
    if (method === 'Fetch.requestPaused') this.refuse({ params, sessionId });
    else if (method === 'Page.javascriptDialogOpening')
      this.tell('Page.handleJavaScriptDialog', { accept: true }, sessionId);
    else if (method === 'Target.attachedToTarget' && params.targetInfo.type !== 'worker')
      this.tell('Target.closeTarget', { targetId: params.targetInfo.targetId });
    else if (method === 'Page.loadEventFired' && sessionId === this.#clearing?.session)
      this.#clearing?.done();
  };

  /** Refuses a request that was stopped. */
  refuse({ params: { requestId }, sessionId }: Omit<ProtocolEvent, 'method'>): void {
    this.tell('Fetch.failRequest', { requestId, errorReason: 'Aborted' }, sessionId);
  }

  /**
   * The memory of the processes that run pages. 0 where the system does not tell: then only the
   * limit of scripts holds.
   */
  async memory(): Promise<Bytes> {
    const { processInfo } = await this.call('SystemInfo.getProcessInfo');
    const renderers = (processInfo as { type: string; id: number }[]).filter(
      ({ type }) => type === 'renderer',
    );
    const sizes = renderers.map(({ id }) => bytesInMemory(id));
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  }

  /** Ends the browser and everything it has started. */
  async close(): Promise<void> {
    this.#pipe.kill();
    await this.#pipe.ended;
    await this.#disk.removeFolder(this.#profile).catch(() => {});
  }
}

/** Another process may still unpack the program: the system starts none that is being written. */
async function startWhenWritten(
  start: () => Promise<CdpPipe>,
  clock: Pick<Clock, 'after'>,
): Promise<CdpPipe> {
  for (let waited = 0; ; waited += UNPACKING) {
    try {
      return await start();
    } catch (error) {
      if (systemCode(error) !== 'ETXTBSY' || waited >= START) throw error;
      await new Promise<void>((wake) => clock.after(UNPACKING, wake));
    }
  }
}

/**
 * The profile of a browser is `drumlin-browser-PID-UUID`, with the number of the crawl's process.
 */
const PROFILE = 'drumlin-browser-';
let swept: Promise<void> | undefined;

/** A crawl that was killed leaves the profiles of its browsers behind. */
async function removeStaleProfiles(disk: Disk): Promise<void> {
  for (const name of await disk.list(tmpdir())) {
    const pid = /^drumlin-browser-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid)))
      await disk.removeFolder(join(tmpdir(), name)).catch(() => {});
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM'; // it belongs to another user
  }
}

async function makeProfile(disk: Disk, profile: string): Promise<void> {
  const folder = join(profile, 'Default');
  await disk.makeFolder(folder);
  const file = await disk.open(join(folder, 'Preferences'), 'create');
  try {
    await file.writeAll(Buffer.from(JSON.stringify(PREFERENCES)), 0);
  } finally {
    await file.close();
  }
}

/** For `Fetch.enable`. */
export const EVERYTHING = { patterns: [{ urlPattern: '*' }] };
/** Every target stops at its start until we have taken its requests in hand. */
export const ATTACH = { autoAttach: true, waitForDebuggerOnStart: true, flatten: true };
