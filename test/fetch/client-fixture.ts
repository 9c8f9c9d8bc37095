/** A client for tests: it may connect to loopback, and each test sets its own limits. */
import { afterEach } from 'vitest';
import type { FetchError, HttpClient } from '../../src/fetch/exchange.ts';
import { createHttpClient, type HttpClientOptions } from '../../src/fetch/http-client.ts';
import { createIdentity } from '../../src/fetch/identity.ts';
import { createAddressGuard } from '../../src/net/address-guard.ts';
import { type Script, type ScriptedServer, serve } from './scripted-server.ts';

export const identity = createIdentity({
  version: '1.2.3',
  contact: 'https://example.org/crawler',
});

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const thing of opened.splice(0)) await thing.close();
});

/** Closed after the test. */
export function client(options: Partial<HttpClientOptions> = {}): HttpClient {
  const made = createHttpClient({
    identity,
    guard: createAddressGuard({ allowPrivate: true }),
    ...options,
  });
  opened.push(made);
  return made;
}

/** Closed after the test. */
export async function server(
  script: Script,
  secure?: { readonly key: string; readonly cert: string },
): Promise<ScriptedServer> {
  const made = await serve(script, secure);
  opened.push(made);
  return made;
}

/** The fault with which a fetch fails, or a note that it did not. */
export async function faultOf(fetched: Promise<unknown>): Promise<string> {
  return fetched.then(
    () => 'no fault',
    (error: FetchError) => error.fault ?? String(error),
  );
}
