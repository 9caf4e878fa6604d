import { connect, type TLSSocket } from 'node:tls';
import { type Certificates, issueCertificates } from '@slipway/devcluster/issue-certificates';
import { aServer, named } from '@slipway/devcluster/testing/a-server';
import { ManualClock } from '@slipway/kube/testing';
import { beforeAll, expect, test, vi } from 'vitest';
import type { ApiHandler } from '../request/request.js';
import { serveHttps } from './https-server.js';

// Clusters start and stop in here, beside all other tests of the machine.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const path = '/api/v1/namespaces/default/configmaps';
/** How many events fifty watchers do not read. By night: `SLIPWAY_WATCH_EVENTS=20000`. */
const unread = Number(process.env.SLIPWAY_WATCH_EVENTS ?? 1_500);
let certificates: Certificates;

beforeAll(async () => {
  const wanted = { ca: undefined, serving: undefined, admin: undefined, names: ['127.0.0.1'], nowMs: Date.now() };
  certificates = await issueCertificates(wanted);
});

async function aBinding() {
  const server = await aServer();
  const clock = new ManualClock();
  const { ca, serving } = certificates;
  const { certificate, key } = serving;
  const watches = { open: 0 };
  const api = countingWatches(server.api, watches);
  const binding = await serveHttps(api, { certificate, key, clientAuthority: ca.certificate, clock });
  let made = 0;
  return {
    port: binding.port,
    clock,
    watches,
    close: () => binding.close(0),
    /** One event of about this many bytes. */
    async event(bytes: number) {
      made += 1;
      const object = { ...named('ConfigMap', `c${made}`), data: { text: 'x'.repeat(bytes) } };
      expect((await server.ask('POST', path, object)).status).toBe(201);
    },
  };
}

/** The same server, which says how many watches are open. */
function countingWatches(api: ApiHandler, watches: { open: number }): ApiHandler {
  return {
    ...api,
    async handle(request) {
      const answer = await api.handle(request);
      const { payload } = answer;
      if (payload?.kind !== 'watch') return answer;
      const open: typeof payload.open = (sink) => {
        watches.open += 1;
        const watch = payload.open(sink);
        return {
          ...watch,
          close() {
            watches.open -= 1;
            watch.close();
          },
        };
      };
      return { ...answer, payload: { ...payload, open } };
    },
  };
}

/** A watcher on a connection of its own, which can stop reading. Counts the events it got. */
async function aWatcher(port: number, since = '') {
  const { ca, admin } = certificates;
  const state = { events: 0, closed: false, text: '' };
  const socket: TLSSocket = connect({
    host: '127.0.0.1',
    port,
    ca: ca.certificate,
    cert: admin.certificate,
    key: admin.key,
  });
  socket.setEncoding('latin1');
  socket.on('error', () => {});
  socket.on('close', () => {
    state.closed = true;
  });
  const answered = new Promise<void>((resolve) => {
    socket.on('data', (text: string) => {
      resolve();
      state.events += text.split('{"type":').length - 1;
      state.text += text;
    });
  });
  socket.write(`GET ${path}?watch=true${since} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
  await answered;
  return { socket, state };
}

test('a watcher that stops reading is cut off once it is 4 MiB behind; others miss nothing', async () => {
  const server = await aBinding();
  const [slow, fast] = await Promise.all([aWatcher(server.port), aWatcher(server.port)]);
  slow.socket.pause();
  let written = 0;
  // What the kernel buffers on the way comes on top of the limit.
  while (!slow.socket.destroyed && written < 200) {
    await server.event(200_000);
    written += 1;
    await vi.waitFor(() => expect(fast.state.events).toBe(written), { interval: 1 });
    slow.socket.read(0);
    if (written === 150) slow.socket.resume();
  }
  await vi.waitFor(() => expect(slow.state.closed).toBe(true));
  expect(slow.state.events).toBeLessThan(written);
  expect(fast.state).toMatchObject({ events: written, closed: false });
  fast.socket.destroy();
  await server.close();
});

test('a watcher that reads nothing for 30 seconds is cut off however little it misses', async () => {
  const server = await aBinding();
  const slow = await aWatcher(server.port);
  slow.socket.pause();
  // More than the kernel buffers, less than 4 MiB above that.
  for (let event = 0; event < 30; event += 1) await server.event(200_000);
  await server.clock.advance(29_000);
  expect(slow.state.closed).toBe(false);
  await server.clock.advance(1_000);
  slow.socket.resume();
  await vi.waitFor(() => expect(slow.state.closed).toBe(true));
  expect(slow.state.events).toBeLessThan(30);
  await server.close();
});

test('fifty watchers that never read are let go, and read on from where they were; others get every event in order', async () => {
  const server = await aBinding();
  const slow = await Promise.all(Array.from({ length: 50 }, () => aWatcher(server.port)));
  const fast = await Promise.all(Array.from({ length: 3 }, () => aWatcher(server.port)));
  for (const { socket } of slow) socket.pause();
  expect(server.watches.open).toBe(53);
  // More in all than a watcher may be behind and the kernel buffers, less than is kept of history.
  const bytes = Math.max(1_000, 18_000_000 / unread);
  for (let written = 0; written < unread; written += 1) {
    await server.event(bytes);
    // Sockets have their turn, as they would between two requests.
    if (written % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  const all = Array.from({ length: unread }, (_, index) => `c${index + 1}`);
  await vi.waitFor(() => expect(fast.map(({ state }) => state.events)).toEqual([unread, unread, unread]), 60_000);
  for (const { state } of fast) expect(eventsOf(state.text).map(({ name }) => name)).toEqual(all);
  // Nothing is kept for those that do not read.
  await vi.waitFor(() => expect(server.watches.open).toBe(3), 60_000);

  const [late] = slow;
  late?.socket.resume();
  await vi.waitFor(() => expect(late?.state.closed).toBe(true));
  const seen = eventsOf(late?.state.text ?? '');
  const rest = await aWatcher(server.port, `&resourceVersion=${seen.at(-1)?.revision}`);
  await vi.waitFor(() => expect(rest.state.events).toBe(unread - seen.length), 60_000);
  expect([...seen, ...eventsOf(rest.state.text)].map(({ name }) => name)).toEqual(all);
  for (const { socket } of [...slow, ...fast, rest]) socket.destroy();
  await server.close();
});

/** The whole events in what a watcher got, without what its chunks are wrapped in. */
function eventsOf(text: string): { name: string; revision: string }[] {
  const frames = text.matchAll(/"name":"(c\d+)".*?"resourceVersion":"(\d+)".*?\}\}\n/g);
  return [...frames].map(([, name = '', revision = '']) => ({ name, revision }));
}
