/**
 * The same web over TLS: each host with the certificate that its domain has drawn.
 *
 * A context is made at the first request for its host, and only the latest are kept, so that memory
 * does not grow with the hosts.
 */
import { createSecureContext, createServer, type SecureContext, type Server } from 'node:tls';
import type { Web } from '../web.ts';
import type { Authority, Flaw } from './certificates.ts';

const MAX_CONTEXTS = 2000;
/** Milliseconds for a handshake; a client that takes longer is dropped. */
const HANDSHAKE_TIME = 60_000;

export function createTlsServer(web: () => Web, authority: Authority): Server {
  const contexts = new Map<string, SecureContext>();
  const contextOf = (host: string): SecureContext => {
    let context = contexts.get(host);
    if (context) return context;
    if (contexts.size >= MAX_CONTEXTS) contexts.delete(contexts.keys().next().value as string);
    context = createSecureContext(authority.issue(host, flawOf(web(), host)));
    contexts.set(host, context);
    return context;
  };
  const server = createServer({
    ...authority.issue('localhost'),
    handshakeTimeout: HANDSHAKE_TIME,
    SNICallback: (host, done) => {
      let context: SecureContext;
      try {
        context = contextOf(host.toLowerCase());
      } catch (error) {
        done(error as Error);
        return;
      }
      done(null, context);
    },
  });
  // A client that refuses our certificate, or speaks no TLS, just leaves.
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return server;
}

function flawOf(web: Web, host: string): Flaw {
  switch (web.placeOf(host)?.domain.behaviour('tls')) {
    case 'tls-expired':
      return 'expired';
    case 'tls-self-signed':
      return 'self-signed';
    case 'tls-wrong-name':
      return 'wrong-name';
    default:
      return 'none';
  }
}
