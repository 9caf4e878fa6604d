import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { admin, aWatch, replyOf } from '@slipway/devcluster/testing/a-server';
import { ManualClock } from '@slipway/kube/testing';
import { definitionOf } from '@slipway/kube-objects/testing/objects';
import { lmdbStore } from '@slipway/object-store/lmdb-store';
import type { Store } from '@slipway/object-store/store';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeYaml } from './response/write-yaml.js';
import { aServerOfCustomKinds, definitionPath } from './testing/custom-kinds-server.js';

/** Objects of all nesting whose keys are those that objects of JavaScript inherit, and their like. */
const keys = fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', 'a');
const { value: nested } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('text', 1, true),
    fc.array(fc.tuple(keys, tie('value')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
    fc.array(tie('value'), { maxLength: 2 }),
  ),
}));
const objects = fc
  .array(fc.tuple(keys, nested), { minLength: 1, maxLength: 4 })
  .map((entries) => Object.fromEntries(entries) as Record<string, unknown>);

const folder = mkdtempSync(join(tmpdir(), 'slipway-keys-'));
const clock = new ManualClock();
const group = '/apis/example.dev/v1/namespaces/default/frees';
let store: Store;

async function aServer() {
  store = await lmdbStore({ path: join(folder, 'store.mdb') });
  const { api, ask } = await aServerOfCustomKinds(clock, store);
  const send = async (method: string, path: string, value: object) =>
    replyOf(await api.handle({ method, path, headers: {}, user: admin, body: { value } }));
  return { api, ask, send };
}
let server: Awaited<ReturnType<typeof aServer>>;

beforeAll(async () => {
  server = await aServer();
  const frees = { group: 'example.dev', version: 'v1', kind: 'Free', plural: 'frees', namespaced: true };
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  await server.ask('POST', definitionPath, definitionOf(frees, open));
  await clock.advance(10);
});

afterAll(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A free object with these fields beside its own, one of which has them, too. */
const free = (name: string, fields: Record<string, unknown>) => ({
  ...fields,
  spec: fields,
  apiVersion: 'example.dev/v1',
  kind: 'Free',
  metadata: { name },
});

/** What an object says beside what the server says, as JSON in which keys are in order. */
function contentOf({ apiVersion: _, kind: _kind, metadata: _metadata, ...content }: Record<string, unknown>): string {
  return inOrder(content);
}

function inOrder(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inOrder).join()}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${inOrder(inner)}`).join()}}`;
}

let made = 0;
const writes: Record<string, (name: string, fields: Record<string, unknown>) => Promise<{ status: number }>> = {
  'a POST of JSON': (name, fields) => server.ask('POST', group, free(name, fields)),
  'a POST of YAML': (name, fields) => server.ask('POST', group, writeYaml(free(name, fields)), 'application/yaml'),
  'a POST in process': (name, fields) => server.send('POST', group, free(name, fields)),
  'a PUT': async (name, fields) => {
    const { body } = await server.ask('POST', group, free(name, {}));
    return server.ask('PUT', `${group}/${name}`, { ...free(name, fields), metadata: body.metadata });
  },
  'a merge patch': async (name, fields) => {
    await server.ask('POST', group, free(name, {}));
    return server.ask('PATCH', `${group}/${name}`, free(name, fields), 'application/merge-patch+json');
  },
  'a JSON patch': async (name, fields) => {
    await server.ask('POST', group, free(name, {}));
    const operations = Object.entries({ ...fields, spec: fields }).map(([key, value]) => ({
      op: 'add',
      path: `/${key}`,
      value,
    }));
    return server.ask('PATCH', `${group}/${name}`, operations, 'application/json-patch+json');
  },
  'an apply': (name, fields) =>
    server.ask(
      'PATCH',
      `${group}/${name}?fieldManager=test`,
      writeYaml(free(name, fields)),
      'application/apply-patch+yaml',
    ),
};

test.each(Object.keys(writes))('%s keeps every key, for readers, watchers and after a restart', async (how) => {
  const names = new Map<string, string>();
  const watch = await aWatch(server.api, `${group}?watch=true`);
  await fc.assert(
    fc.asyncProperty(objects, async (fields) => {
      const name = `x${++made}`;
      const expected = contentOf(free(name, fields));
      const written = await writes[how]?.(name, fields);
      expect(written?.status).toBeLessThan(300);
      names.set(name, expected);
      expect(contentOf((await server.ask('GET', `${group}/${name}`)).body)).toBe(expected);
      expect(contentOf(watch.frames.at(-1)?.object)).toBe(expected);
      // Another write on top changes nothing else.
      const label = { metadata: { labels: { a: 'b' } } };
      const labelled = await server.ask('PATCH', `${group}/${name}`, label, 'application/merge-patch+json');
      expect(contentOf(labelled.body)).toBe(expected);
    }),
    { numRuns: 25 },
  );
  watch.close();
  await store.close();
  server = await aServer();
  await clock.advance(10);
  const { body } = await server.ask('GET', group);
  const stored = new Map<string, Record<string, unknown>>(
    body.items.map((item: { metadata: { name: string } }) => [item.metadata.name, item]),
  );
  for (const [name, expected] of names) expect(contentOf(stored.get(name) ?? {})).toBe(expected);
  expect(({} as { text?: unknown }).text).toBeUndefined();
});

test('a second apply removes what the first one owned of such keys, and nothing else', async () => {
  const name = `x${++made}`;
  const apply = (manager: string, fields: Record<string, unknown>) =>
    server.ask(
      'PATCH',
      `${group}/${name}?fieldManager=${manager}`,
      writeYaml({ ...free(name, {}), spec: fields }),
      'application/apply-patch+yaml',
    );
  const own = (entries: [string, unknown][]) => Object.fromEntries(entries) as Record<string, unknown>;
  await apply(
    'one',
    own([
      [
        '__proto__',
        own([
          ['__proto__', 1],
          ['a', 1],
        ]),
      ],
    ]),
  );
  await apply('two', own([['__proto__', own([['b', 2]])]]));
  const { body } = await apply('one', own([['__proto__', own([['a', 1]])]]));
  expect(inOrder(body.spec)).toBe('{"__proto__":{"a":1,"b":2}}');
});
