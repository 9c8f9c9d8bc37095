/**
 * A proxy between a worker and a server, to cut their link: all connections, or each after some
 * bytes, or none are taken at all.
 */
import { connect, createServer, type Server, type Socket } from 'node:net';

export class TcpProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Connections are refused. */
  #isCut = false;
  /** Each connection is cut after so many bytes to the server. */
  #after = Infinity;
  /** Connections that were cut. */
  cuts = 0;

  private constructor(server: Server) {
    this.#server = server;
    this.port = (server.address() as { port: number }).port;
  }

  static async open(target: () => number): Promise<TcpProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new TcpProxy(server);
    server.on('connection', (client) => proxy.#relay(client, target()));
    return proxy;
  }

  /** Ends all connections and takes none until `mend`. */
  cut(): void {
    this.#isCut = true;
    this.#endAll();
  }

  /** Ends every connection, old or new, when it has sent so many more bytes. */
  cutAfter(bytes: number): void {
    this.#after = bytes;
  }

  mend(): void {
    this.#isCut = false;
    this.#after = Infinity;
  }

  async close(): Promise<void> {
    this.#endAll();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #endAll(): void {
    for (const socket of this.#sockets) {
      this.cuts++;
      socket.destroy();
    }
    this.#sockets.clear();
  }

  #relay(client: Socket, port: number): void {
    if (this.#isCut) return void client.destroy();
    const server = connect(port, '127.0.0.1');
    let sent = 0;
    const end = () => {
      client.destroy();
      server.destroy();
      this.#sockets.delete(client);
    };
    this.#sockets.add(client);
    for (const socket of [client, server]) socket.on('error', end).on('close', end);
    client.on('data', (bytes) => {
      sent += bytes.length;
      if (sent > this.#after) {
        this.cuts++;
        return end();
      }
      if (!server.write(bytes)) client.pause();
    });
    server.on('drain', () => client.resume());
    server.pipe(client);
  }
}
