import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Access, systemClock } from '@slipway/kube';
import { ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { fetchComponentPage, fetchConfiguredGates, fetchSetGates } from './fetch-component.js';

const signal = new AbortController().signal;
const fetching = { clock: systemClock, signal };
const gates = 'kubernetes_feature_enabled{name="A",stage="ALPHA"} 1\n';

async function serving(answer: RequestListener): Promise<AsyncDisposable & { readonly access: Access }> {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    access: {
      server: `http://127.0.0.1:${port}`,
      credentials: async () => ({ headers: { authorization: 'Bearer t' } }),
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

test('fetchComponentPage() shows who it is and reads the gates', async () => {
  await using server = await serving((request, response) => {
    response.end(request.headers.authorization === 'Bearer t' && request.url === '/metrics' ? gates : '');
  });
  expect((await fetchComponentPage(server.access, fetching)).gates).toEqual([
    { name: 'A', enabled: true, stage: 'Alpha' },
  ]);
});

test('fetchComponentPage() hangs up once it has seen what it came for', async () => {
  const all = `\nkubernetes_build_info{git_version="v1.34.0"} 1\n${gates}process_start_time_seconds 5\nversion_info{emulation="1.34"} 1\n# more\n`;
  let hungUp: () => void = () => {};
  const over = new Promise<void>((resolve) => {
    hungUp = resolve;
  });
  await using server = await serving((_, response) => {
    response.on('close', hungUp);
    response.write(all);
  });
  expect((await fetchComponentPage(server.access, fetching)).binaryVersion).toBe('v1.34.0');
  await over;
});

// what answers | what is said of it
const useless: [string, RequestListener, RegExp][] = [
  ['access is denied', (_, response) => response.writeHead(403).end(), /answers 403/],
  ['garbage', (_, response) => response.end(Buffer.alloc(100_000, 0xfe)), /shows no gate/],
  ['another program', (_, response) => response.end('go_goroutines 7\n'), /shows no gate/],
  [
    'half an answer',
    (_, response) => response.writeHead(200, { 'content-length': 9 }).write('x') && response.destroy(),
    /cannot be read/,
  ],
];

test.each(useless)('fetchComponentPage() gives up when it meets %s', async (_, answer, says) => {
  await using server = await serving(answer);
  await expect(fetchComponentPage(server.access, fetching)).rejects.toThrow(says);
});

test('fetchComponentPage() does not read a page without end', async () => {
  const megabyte = Buffer.alloc(1 << 20, 'x');
  await using server = await serving((_, response) => {
    const more = () => response.write(megabyte, (error) => error ?? more());
    more();
  });
  await expect(fetchComponentPage(server.access, fetching)).rejects.toThrow(/longer than 64 MiB/);
});

test('fetchComponentPage() does not wait for a server that says nothing', async () => {
  const clock = new ManualClock();
  let asked: () => void = () => {};
  const waiting = new Promise<void>((resolve) => {
    asked = resolve;
  });
  await using server = await serving(() => asked());
  const fetched = expect(fetchComponentPage(server.access, { clock, signal })).rejects.toThrow(/within 10 s/);
  await waiting;
  await clock.advance(10_000);
  await fetched;
});

test('fetchComponentPage() stops when it is told to', async () => {
  const stop = new AbortController();
  await using server = await serving(() => stop.abort(new Error('stopped')));
  await expect(fetchComponentPage(server.access, { clock: systemClock, signal: stop.signal })).rejects.toThrow(
    'stopped',
  );
});

test('fetchSetGates() reads the flags of a component that shows them, in a form that it serves', async () => {
  await using server = await serving((request, response) => {
    const isServed = request.headers.accept?.includes('as=Flagz;v=v1alpha1;g=config.k8s.io');
    response.end(
      JSON.stringify(isServed ? { kind: 'Flagz', flags: { 'feature-gates': 'A=true,B=false', v: '2' } } : {}),
    );
  });
  const gatesSet = await fetchSetGates(server.access, fetching);
  expect(Object.fromEntries(gatesSet ?? [])).toEqual({ A: true, B: false });
});

test('fetchSetGates() knows nothing where the page is not offered', async () => {
  await using server = await serving((_, response) => response.writeHead(404).end('not found'));
  expect(await fetchSetGates(server.access, fetching)).toBeUndefined();
});

test('fetchConfiguredGates() reads what a kubelet was configured with', async () => {
  await using server = await serving((_, response) => {
    response.end(JSON.stringify({ kubeletconfig: { featureGates: { A: true, B: 'maybe' } } }));
  });
  expect(await fetchConfiguredGates(server.access, fetching)).toEqual(new Map([['A', true]]));
});
