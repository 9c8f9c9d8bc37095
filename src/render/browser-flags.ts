/**
 * How a Chromium is started: quiet, and without a network.
 *
 * Idea      Of two equal switches Chromium takes the last. The walls come last, after the flags of
 *           the user: a set of flags for another driver opens none. Switches that hold a list of
 *           features are merged into one, with all of their features.
 * Limits    A full browser has services of its own (updates, sign-in, time). What no switch turns
 *           off fails like all else: no name resolves, and the proxy does not exist.
 */

/** The walls: see `Browser`. */
const NO_NETWORK = [
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--proxy-server=127.0.0.1:9',
  '--proxy-bypass-list=<-loopback>',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  '--dns-prefetch-disable',
  '--disable-background-networking',
  '--disable-component-update',
  '--component-updater=url-source=about:blank',
  '--disable-domain-reliability',
  '--disable-sync',
  '--no-pings',
  '--disable-features=MediaRouter,OptimizationHints,InterestFeedContentSuggestions,AcceptCHFrame,' +
    'NetworkTimeServiceQuerying,CertificateTransparencyComponentUpdater,ServiceWorkerStaticRouter,' +
    'Prerender2,AimEnabled,PreconnectToSearch',
  // Newer than Chromium 156: no question for the accounts of a user who has none.
  '--enable-features=SkipListAccountsWithoutGaiaCookies,' +
    // No page is loaded ahead of time: there is room for none.
    'PrefetchSchedulerTesting:kPrefetchSchedulerTestingActiveSetSizeLimitForBase/0/' +
    'kPrefetchSchedulerTestingActiveSetSizeLimitForBurst/0',
];

const QUIET = [
  '--headless',
  '--lang=en-US',
  '--accept-lang=en-US,en',
  '--hide-scrollbars',
  '--mute-audio',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-breakpad',
  '--disable-crash-reporter',
  '--disable-default-apps',
  '--disable-extensions',
  '--disable-component-extensions-with-background-pages',
  '--disable-field-trial-config',
  '--disable-search-engine-choice-screen',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-notifications',
  '--disable-speech-api',
  '--disable-hang-monitor',
  '--disable-popup-blocking',
  '--disable-prompt-on-repost',
  '--disable-client-side-phishing-detection',
  '--metrics-recording-only',
  '--password-store=basic',
  '--use-mock-keychain',
  // A page is rendered at full speed, whatever windows of others are over its own.
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
  // A page that was left is gone.
  '--disable-back-forward-cache',
  '--disable-features=Translate,SpareRendererForSitePerProcess,' +
    // A page of http: stays one.
    'HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,' +
    // Pages of the browser itself, with a process each, in every window.
    'WebUIOmniboxPopup,WebUIOmniboxAimPopup',
];

/** Switches whose values are lists, and what separates these. */
const LISTS: Readonly<Record<string, string>> = {
  ...{ 'disable-features': ',', 'enable-features': ',' },
  ...{ 'disable-blink-features': ',', 'enable-blink-features': ',' },
  'js-flags': ' ',
};

/** The settings of a full browser's profile: it loads nothing ahead, and asks for no lists. */
export const PREFERENCES = {
  net: { network_prediction_options: 2 },
  search: { suggest_enabled: false },
  safebrowsing: { enabled: false },
};

interface Surroundings {
  readonly userAgent: string;
  readonly profile: string;
  /** Megabytes that scripts may fill. */
  readonly heap: number;
}

export function browserFlags(
  user: readonly string[],
  { userAgent, profile, heap }: Surroundings,
): string[] {
  const own = [`--user-agent=${userAgent}`, `--user-data-dir=${profile}`];
  const pipe = ['--remote-debugging-pipe', '--no-startup-window'];
  const scripts = `--js-flags=--max-old-space-size=${heap}`;
  return merged([...QUIET, ...flagsOf(user), ...own, scripts, ...NO_NETWORK, ...pipe]);
}

/**
 * The user's flags, with two dashes each. A list of flags is split at its commas, and so are the
 * features in it: their names have capital letters, and those of switches have none.
 */
function flagsOf(user: readonly string[]): string[] {
  const flags: string[] = [];
  for (const item of user) {
    const before = /^[^=]*[A-Z]/.test(item) ? flags.pop() : undefined;
    flags.push(before === undefined ? `--${item.replace(/^-+/, '')}` : `${before},${item}`);
  }
  return flags;
}

function merged(flags: readonly string[]): string[] {
  const lists = new Map<string, string[]>();
  const others = flags.filter((flag) => {
    const [, name = '', value = ''] = /^--([^=]+)=(.*)$/s.exec(flag) ?? [];
    if (LISTS[name] === undefined) return true;
    lists.set(name, [...(lists.get(name) ?? []), value]);
    return false;
  });
  return [
    ...others,
    ...[...lists].map(([name, values]) => `--${name}=${values.join(LISTS[name])}`),
  ];
}
