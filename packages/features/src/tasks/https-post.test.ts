import { readFileSync } from 'node:fs';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { aTaskContext } from '../testing/a-task-context.js';
import { httpsPost } from './https-post.js';
import { type WebhookEndpoint, webhookTask } from './webhook.js';

/** Accepts connections and says nothing. */
async function silentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => void sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port, [Symbol.dispose]: close };
}

test('httpsPost() says who did not answer, without what the address keeps secret, and after how long', async () => {
  using server = await silentServer();
  const url = `https://user:secret@127.0.0.1:${server.port}/drain?token=secret`;
  const call = httpsPost({ url, timeoutMs: 20 }, {}, {}, new AbortController().signal);
  await expect(call).rejects.toThrow(`https://127.0.0.1:${server.port}/drain gave no answer within 0.02 s`);
});

test('webhookTask() reports an untrusted certificate at once, and what to do', async () => {
  const file = (name: string) => readFileSync(new URL(`../../../kube/src/https/testdata/${name}`, import.meta.url));
  const server = createHttpsServer({ key: file('server.key'), cert: file('server.crt') }, (_, response) =>
    response.end('{ "phase": "Done" }'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `https://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/drain`;
  const answer = (endpoint: WebhookEndpoint) =>
    webhookTask({ drain: endpoint }, httpsPost).run(aTaskContext({ kind: 'Webhook', args: { name: 'drain' } }));
  const message = expect.stringMatching(/^webhook drain: .*name the CA in caBundle/);
  expect(await answer({ url })).toMatchObject({ kind: 'failed', blocksAfter: 1, message });
  expect(await answer({ url, caBundle: file('ca.crt').toString() })).toEqual({ kind: 'done' });
  server.close();
});

test('httpsPost() rejects with the reason of its caller when that gives up', async () => {
  using server = await silentServer();
  const giving = new AbortController();
  const call = httpsPost({ url: `https://127.0.0.1:${server.port}` }, {}, {}, giving.signal);
  giving.abort(new Error('the server stops'));
  await expect(call).rejects.toThrow(/aborted/);
});
