import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { Kube } from '../client/client.js';
import { silentLog } from '../log/logger.js';
import { type InMemoryApi, inMemoryApi } from '../testing/in-memory-api.js';
import { ManualClock } from '../testing/manual-clock.js';
import { aWidget, Widgets } from '../testing/widgets.js';
import { keyOf } from '../transport/objects.js';
import { StatusError } from '../transport/status.js';
import type { KubeRequest } from '../transport/transport.js';
import { InformerFactory } from '../watch/informer-factory.js';
import { httpsTransport } from './https-transport.js';

const running: Server[] = [];
afterAll(() => Promise.all(running.map((server) => server.down())));

test('an informer over HTTP loses nothing through resets, restarts, lost history and torn frames', async () => {
  const clock = new ManualClock();
  const api = inMemoryApi({ clock });
  const server = new Server(api);
  running.push(server);
  await server.up();
  const transport = httpsTransport({ server: server.address, credentials: async () => ({}) }, { clock });
  const factory = new InformerFactory(new Kube(transport, { clock }), { log: silentLog, random: () => 0.5 });
  const informer = factory.informer(Widgets);
  const seen = new Map<string, unknown>();
  informer.onChange(({ type, object }) => {
    if (type === 'deleted') seen.delete(keyOf(object));
    else seen.set(keyOf(object), object);
  });
  factory.start();
  await informer.whenSynced();

  const widgets = new Kube(api, { clock }).resource(Widgets);
  for (let round = 0; round < 60; round++) {
    const ref = { name: `w${round % 7}`, namespace: 'default' };
    const present = await widgets.find(ref);
    if (present && round % 3 === 0) await widgets.delete(ref);
    else if (present) await widgets.replace({ ...present, spec: { size: round } });
    else await widgets.create(aWidget(ref.name, { size: round, labels: { text: 'x'.repeat(round % 60) } }));
    if (round % 5 === 1) server.resetAll();
    if (round % 11 === 2) server.tearNextFrame();
    if (round % 13 === 3) api.compact();
    if (round % 17 === 4) api.endWatches();
    if (round % 20 === 5) {
      await server.down();
      await clock.advance(2000);
      await server.up();
    }
    await realTurns(3);
    await clock.advance(500);
  }

  const stored = Object.fromEntries(api.stored(Widgets).map((object) => [keyOf(object), object]));
  const isEqual = () =>
    api.stored(Widgets).every((object) => {
      const cached = informer.lister.get({ name: object.metadata.name ?? '', namespace: 'default' });
      return cached?.metadata.resourceVersion === object.metadata.resourceVersion;
    }) && informer.lister.list().length === api.stored(Widgets).length;
  for (let waited = 0; waited < 2000 && !isEqual(); waited++) {
    await realTurns(1);
    await clock.advance(100);
  }
  expect(Object.fromEntries(informer.lister.list().map((object) => [keyOf(object), object]))).toEqual(stored);
  expect(Object.fromEntries(seen)).toEqual(stored);
  expect(server.resets).toBeGreaterThan(0);
  await factory.stop();
});

/** An API over HTTP whose connections can be broken and which can be restarted on its port. */
class Server {
  readonly #api: InMemoryApi;
  readonly #sockets = new Set<Socket>();
  #http: http.Server | undefined;
  #port = 0;
  #tear = false;
  resets = 0;

  constructor(api: InMemoryApi) {
    this.#api = api;
  }

  get address(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async up(): Promise<void> {
    const server = http.createServer((request, response) => void this.#answer(request, response));
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#http = server;
  }

  async down(): Promise<void> {
    const server = this.#http;
    this.#http = undefined;
    if (!server) return;
    this.resetAll();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  resetAll(): void {
    for (const socket of this.#sockets) {
      this.resets++;
      socket.resetAndDestroy();
    }
  }

  tearNextFrame(): void {
    this.#tear = true;
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request: KubeRequest = { method: 'GET', path: incoming.url ?? '' };
    if (!request.path.includes('watch=true')) {
      const { status, body } = await this.#api.request(request);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      return;
    }
    const closed = new AbortController();
    response.on('close', () => closed.abort());
    response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
    try {
      for await (const frame of this.#api.stream(request, closed.signal)) {
        const line = Buffer.from(`${JSON.stringify(frame)}\n`);
        const half = Math.floor(line.length / 2);
        response.write(line.subarray(0, half));
        if (this.#tear) {
          this.#tear = false;
          response.destroy();
          return;
        }
        response.write(line.subarray(half));
      }
      response.end();
    } catch (error) {
      if (!(error instanceof StatusError)) response.destroy();
    }
  }
}

/** Lets sockets do what they have to do. */
async function realTurns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
}
