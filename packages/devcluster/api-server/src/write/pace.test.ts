import { aServer } from '@slipway/devcluster/testing/a-server';
import { expect, test } from 'vitest';
import { copyBody } from '../request/json-copy.js';
import { paceOf } from './pace.js';

function* three(): Generator<void, number> {
  yield;
  return 3;
}

// what | body | characters of what is there | rests
const writes: [string, { bytes: Uint8Array } | undefined, number, boolean][] = [
  ['no body', undefined, 0, false],
  ['a small body, a small object', { bytes: new Uint8Array(1_000) }, 10_000, false],
  ['a large body', { bytes: new Uint8Array(200_000) }, 0, true],
  ['a small body, a large object', { bytes: new Uint8Array(1_000) }, 600_000, true],
];
test.each(writes)('paceOf() a write: %s', async (_, body, size, rests) => {
  const pace = paceOf({ request: { body } } as Parameters<typeof paceOf>[0], { size });
  const [rest, finished] = [pace.rest(), pace.finish(three())];
  expect([rest instanceof Promise, finished instanceof Promise]).toEqual([rests, rests]);
  expect(await finished).toBe(3);
});

test('paceOf() a write of a value that is handed over in process goes by what was counted while it was copied', () => {
  const rests = (value: unknown) => {
    copyBody({ value });
    return paceOf({ request: { body: { value } } } as Parameters<typeof paceOf>[0]).rest() !== undefined;
  };
  expect(rests({ spec: { containers: [{ name: 'c', image: 'i' }] } })).toBe(false);
  expect(
    rests({ spec: { hard: Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`count/${at}`, '1'])) } }),
  ).toBe(true);
  expect(rests({ data: { a: 'x'.repeat(200_000) } })).toBe(true);
  expect(rests('a text')).toBe(false);
});

const configMaps = '/api/v1/namespaces/default/configmaps';
const patchType = { 'content-type': 'application/merge-patch+json' };

test('patches of a large object that come at the same time all get in, each made of what the one before left', async () => {
  const { ask } = await aServer();
  const data = { a: 'x'.repeat(700_000) };
  await ask('POST', configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'large' }, data });
  const labels = ['one', 'two', 'three'];
  const answers = await Promise.all(
    labels.map((label) => ask('PATCH', `${configMaps}/large`, { metadata: { labels: { [label]: 'x' } } }, patchType)),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  const { body } = await ask('GET', `${configMaps}/large`);
  expect(Object.keys(body.metadata.labels).sort()).toEqual([...labels].sort());
});
