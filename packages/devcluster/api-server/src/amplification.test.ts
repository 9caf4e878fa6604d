import { definitionOf } from '@slipway/kube-objects/testing/objects';
import { beforeAll, expect, test } from 'vitest';
import { aServerOfCustomKinds, definitionPath } from './testing/custom-kinds-server.js';

const { ask, clock } = await aServerOfCustomKinds();
const growerKind = { group: 'example.dev', version: 'v1', kind: 'Grower', plural: 'growers', namespaced: true };
const path = '/apis/example.dev/v1/namespaces/default/growers';

const grower = (name: string, items: number) => ({
  apiVersion: 'example.dev/v1',
  kind: 'Grower',
  metadata: { name },
  spec: { items: Array.from({ length: items }, () => ({})) },
});

/** A definition whose items have so many defaults. */
function growers(defaults: number) {
  const fields = Array.from({ length: defaults }, (_, index) => [
    `f${index}`,
    { type: 'string', default: 'a default' },
  ]);
  const items = { type: 'array', items: { type: 'object', properties: Object.fromEntries(fields) } };
  const spec = { type: 'object', properties: { items } };
  return definitionOf(growerKind, { type: 'object', properties: { spec } });
}

beforeAll(async () => {
  await ask('POST', definitionPath, growers(300));
  await clock.advance(10);
  await ask('POST', path, grower('small', 1));
});

const many = grower('small', 30_000);
test.each<[string, () => ReturnType<typeof ask>]>([
  ['create', () => ask('POST', path, grower('new', 30_000))],
  ['dry run', () => ask('POST', `${path}?dryRun=All`, grower('new', 30_000))],
  ['merge patch', () => ask('PATCH', `${path}/small`, { spec: many.spec }, 'application/merge-patch+json')],
  [
    'JSON patch',
    () =>
      ask(
        'PATCH',
        `${path}/small`,
        [{ op: 'replace', path: '/spec/items', value: many.spec.items }],
        'application/json-patch+json',
      ),
  ],
  ['apply', () => ask('PATCH', `${path}/small?fieldManager=a&force=true`, many, 'application/apply-patch+yaml')],
  [
    'apply of a new one',
    () => ask('PATCH', `${path}/new?fieldManager=a`, grower('new', 30_000), 'application/apply-patch+yaml'),
  ],
])('a %s that defaults would make larger than may be stored is answered as by etcd', async (_how, write) => {
  const { status, body } = await write();
  expect([status, body.message]).toEqual([500, 'etcdserver: request is too large']);
});

test('a PUT that defaults would make larger than may be stored is answered as by etcd', async () => {
  const { body: stored } = await ask('GET', `${path}/small`, {});
  const { status, body } = await ask('PUT', `${path}/small`, { ...many, metadata: stored.metadata });
  expect([status, body.message]).toEqual([500, 'etcdserver: request is too large']);
});

test('what defaults of later on would make too large is served as it is stored', async () => {
  const { spec: plain } = growers(0);
  await ask('PATCH', `${definitionPath}/growers.example.dev`, { spec: plain }, 'application/merge-patch+json');
  await clock.advance(10);
  expect((await ask('POST', path, grower('many', 20_000))).status).toBe(201);
  const { spec } = growers(300);
  await ask('PATCH', `${definitionPath}/growers.example.dev`, { spec }, 'application/merge-patch+json');
  await clock.advance(10);
  const { status, body } = await ask('GET', path, {});
  const [large, small] = body.items;
  expect([status, large.spec.items.length, large.spec.items[0]]).toEqual([200, 20_000, {}]);
  expect(Object.keys(small.spec.items[0])).toHaveLength(300);
});
