import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { Readable } from 'node:stream';
import { type Certificates, issueCertificates } from '@slipway/devcluster/issue-certificates';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiHandler } from '../request/request.js';
import { textAnswer } from '../response/answers.js';
import { type HttpsBinding, serveHttps } from './https-server.js';
import { RequestBodies, smallBody } from './request-bodies.js';

let certificates: Certificates;
const open: HttpsBinding[] = [];
const sent: ClientRequest[] = [];

beforeAll(async () => {
  const wanted = { ca: undefined, serving: undefined, admin: undefined, names: ['127.0.0.1'], nowMs: Date.now() };
  certificates = await issueCertificates(wanted);
});

afterAll(async () => {
  for (const one of sent) one.destroy();
  await Promise.all(open.map((binding) => binding.close(0)));
});

const kibibyte = 1_024;
const maxBodyBytes = 1_024 * kibibyte;

/** An authenticated client that announces a body of `bytes` and sends `part` of it. */
function aClient(port: number, bytes: number, part = bytes) {
  const { ca, admin } = certificates;
  const headers = { 'content-length': String(bytes) };
  const identity = { ca: ca.certificate, cert: admin.certificate, key: admin.key };
  const client = request({ host: '127.0.0.1', port, method: 'POST', headers, agent: false, ...identity });
  sent.push(client);
  // Of those that the test ends itself nobody wants to hear.
  client.on('error', () => {});
  client.write(Buffer.alloc(part));
  if (part === bytes) client.end();
  return client;
}

async function answerTo(client: ClientRequest) {
  const [response] = (await once(client, 'response')) as [IncomingMessage];
  response.resume();
  return { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] };
}

test('clients that never finish hold no more than the budget, and nobody is kept from small writes', async () => {
  const handler: ApiHandler = {
    handle: async ({ body }) => textAnswer(200, String(body && 'bytes' in body ? body.bytes.length : 0)),
  };
  const { ca, serving } = certificates;
  const binding = await serveHttps(handler, { ...serving, clientAuthority: ca.certificate, maxBodyBytes });
  open.push(binding);
  const { port } = binding;

  const bytes = 200 * kibibyte;
  const unfinished = Array.from({ length: 30 }, () => aClient(port, bytes, bytes / 2));
  let answer = await answerTo(aClient(port, bytes));
  while (answer.status === 200) answer = await answerTo(aClient(port, bytes));
  expect(answer).toEqual({ status: 429, retryAfter: '1' });
  for (let write = 0; write < 20; write++) expect((await answerTo(aClient(port, smallBody))).status).toBe(200);

  for (const client of unfinished) client.destroy();
  while (answer.status === 429) answer = await answerTo(aClient(port, bytes));
  expect(answer.status).toBe(200);
});

/** What the next chunk of a client is, or how it ends. */
const action = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.constantFrom('end' as const, 'leave' as const));
const story = fc.array(fc.tuple(fc.nat({ max: 11 }), action), { maxLength: 120 });

test('RequestBodies holds no more than its budget and small bodies, and nothing when all clients are gone', async () => {
  const maxBytes = 200 * kibibyte;
  await fc.assert(
    fc.asyncProperty(story, async (actions) => {
      const bodies = new RequestBodies(maxBytes);
      const clients = Array.from({ length: 12 }, () => {
        const stream = new Readable({ read() {} });
        const incoming = Object.assign(stream, { headers: { 'transfer-encoding': 'chunked' }, complete: false });
        const used = bodies.use(incoming as unknown as IncomingMessage, async (body) => body).catch(() => 'left');
        return { incoming, used };
      });
      for (const [index, what] of actions) {
        const { incoming } = clients[index] as (typeof clients)[number];
        if (incoming.destroyed || incoming.complete) continue;
        if (what === 'leave') incoming.destroy();
        else if (what === 'end') {
          incoming.complete = true;
          incoming.push(null);
        } else incoming.push(Buffer.alloc(what * kibibyte));
        await new Promise(setImmediate);
        expect(bodies.bytes).toBeLessThanOrEqual(maxBytes + clients.length * smallBody);
        expect(bodies.bytes).toBeGreaterThanOrEqual(0);
      }
      for (const { incoming } of clients) incoming.destroy();
      await Promise.all(clients.map(({ used }) => used));
      expect(bodies.bytes).toBe(0);
    }),
    { numRuns: 60 },
  );
});

test('RequestBodies counts a body until the work with it has ended', async () => {
  const bodies = new RequestBodies();
  const incoming = Object.assign(Readable.from([Buffer.alloc(10)]), {
    headers: { 'content-length': '10' },
    complete: true,
  });
  const seen = await bodies.use(incoming as unknown as IncomingMessage, async () => {
    await once(incoming, 'close');
    return bodies.bytes;
  });
  expect([seen, bodies.bytes]).toEqual([10, 0]);
});
