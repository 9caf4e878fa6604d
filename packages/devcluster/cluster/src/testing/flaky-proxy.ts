import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Server, type Socket } from 'node:net';

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

/** A network between clients and a server that can be made to fail in the ways networks do. */
export class FlakyProxy {
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  /** Bytes that the server may say on the next connection. */
  #limit = Number.POSITIVE_INFINITY;

  constructor(targetPort: number) {
    this.#server = createServer((client) => {
      const server = createConnection(targetPort, '127.0.0.1');
      const pair = { client, server };
      this.#pairs.add(pair);
      for (const socket of [client, server]) {
        socket.on('error', () => {});
        socket.on('close', () => this.#drop(pair));
      }
      client.pipe(server);
      server.pipe(client);
      this.#cutOff(pair, this.#limit);
      this.#limit = Number.POSITIVE_INFINITY;
    });
  }

  /** Resolves with the port that clients connect to. */
  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** The next connection breaks once the server has said so many bytes on it, whatever that is the middle of. */
  cutNextAfter(bytes: number): void {
    this.#limit = bytes;
  }

  /** Every connection breaks with a reset. */
  reset(): void {
    for (const { client } of this.#pairs) client.resetAndDestroy();
  }

  /** Nothing passes on the connections there are, ever again; neither side is told. */
  halfOpen(): void {
    for (const pair of this.#pairs) {
      pair.server.unpipe(pair.client).resume();
      pair.client.unpipe(pair.server).resume();
    }
  }

  /** Nothing passes on the connections there are until the function that is returned is called. */
  stall(): () => void {
    const stalled = [...this.#pairs];
    for (const { client, server } of stalled) server.unpipe(client).pause();
    return () => {
      for (const { client, server } of stalled) server.pipe(client);
    };
  }

  async close(): Promise<void> {
    this.reset();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #cutOff(pair: Pair, limit: number): void {
    if (limit === Number.POSITIVE_INFINITY) return;
    const { client, server } = pair;
    let left = limit;
    server
      .unpipe(client)
      .resume()
      .on('data', (bytes: Buffer) => {
        if (left <= 0) return;
        client.write(bytes.subarray(0, left));
        left -= bytes.length;
        if (left <= 0) client.end();
      });
  }

  #drop(pair: Pair): void {
    this.#pairs.delete(pair);
    pair.client.destroy();
    pair.server.destroy();
  }
}
