import { connect, type TLSSocket } from 'node:tls';
import { ManualClock } from '@slipway/kube/testing';
import { beforeAll, expect, test, vi } from 'vitest';
import { type Certificates, issueCertificates } from '../../cluster/issue-certificates.js';
import { aServer, named } from '../testing/a-server.js';
import { serveHttps } from './https-server.js';

// Clusters start and stop in here, beside all other tests of the machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const path = '/api/v1/namespaces/default/configmaps';
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
  const binding = await serveHttps(server.api, { certificate, key, clientAuthority: ca.certificate, clock });
  let made = 0;
  return {
    port: binding.port,
    clock,
    close: () => binding.close(0),
    /** One event of about this many bytes. */
    async event(bytes: number) {
      made += 1;
      const object = { ...named('ConfigMap', `c${made}`), data: { text: 'x'.repeat(bytes) } };
      expect((await server.ask('POST', path, object)).status).toBe(201);
    },
  };
}

/** A watcher on a connection of its own, which can stop reading. Counts the events it got. */
async function aWatcher(port: number) {
  const { ca, admin } = certificates;
  const state = { events: 0, closed: false };
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
    });
  });
  socket.write(`GET ${path}?watch=true HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`);
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
  expect(fast.state).toEqual({ events: written, closed: false });
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
