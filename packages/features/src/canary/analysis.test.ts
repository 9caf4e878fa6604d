import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import type { Post } from '../tasks/webhook.js';
import { type AnalysisCall, measureOf } from './analysis.js';

const about: AnalysisCall = { feature: 'FastPath', namespace: 'acme', transition: '4-abcd', step: 0, to: 'On' };
const { signal } = new AbortController();
const noPost: Post<AnalysisCall> = () => Promise.reject(new Error('this test must not post'));

/** Asks a server that answers like this for a measurement. */
async function asked(status: number, body: string): Promise<number> {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  try {
    const { port } = server.address() as AddressInfo;
    const promQL = { url: `http://127.0.0.1:${port}/prom/`, query: 'rate(errors[1m]) > 0' };
    return await measureOf({ promQL }, noPost)(about, signal);
  } finally {
    server.close();
    expect(paths).toEqual(['/prom/api/v1/query?query=rate%28errors%5B1m%5D%29+%3E+0']);
  }
}

const vector = (...values: readonly unknown[]) =>
  JSON.stringify({
    status: 'success',
    data: { resultType: 'vector', result: values.map((value) => ({ metric: {}, value: [1, value] })) },
  });

test('measureOf() a Prometheus query is its largest value', async () => {
  expect(await asked(200, JSON.stringify({ data: { resultType: 'scalar', result: [1, '0.25'] } }))).toBe(0.25);
  expect(await asked(200, vector('0.1', '0.3', '0.2'))).toBe(0.3);
});

// answer | why it is not a measurement
test.each<[number, string, string]>([
  [200, vector(), 'no data'],
  [200, vector('NaN'), 'without a number'],
  [200, '{}', 'without a list of results'],
  [200, 'null', 'without a list of results'],
  [200, '{"data":{"resultType":"vector","result":"up"}}', 'without a list of results'],
  [200, '{"data":{"resultType":"vector","result":[null,"up"]}}', 'without a number'],
  [200, 'up', 'JSON'],
  [422, vector('0'), 'HTTP 422'],
])('measureOf() takes no answer of %s %s for a measurement', async (status, body, why) => {
  await expect(asked(status, body)).rejects.toThrow(why);
});

test('measureOf() a webhook tells it what is measured, and takes its value', async () => {
  const calls: unknown[] = [];
  const post: Post<AnalysisCall> = async ({ url }, body) => {
    calls.push([url, body]);
    return { status: 200, body: { value: 0.5 } };
  };
  const webhook = { url: 'https://hooks.acme.example/errors' };
  expect(await measureOf({ webhook }, post)(about, signal)).toBe(0.5);
  expect(calls).toEqual([[webhook.url, about]]);
});

test.each<[number, unknown, string]>([
  [500, { value: 0 }, 'HTTP 500'],
  [200, { value: '0' }, 'without a number'],
  [200, undefined, 'without a number'],
])('measureOf() takes no webhook answer of %s %j for a measurement', async (status, body, why) => {
  const measure = measureOf({ webhook: { url: 'https://hooks.acme.example/' } }, async () => ({ status, body }));
  await expect(measure(about, signal)).rejects.toThrow(why);
});
