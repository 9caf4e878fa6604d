import { aWatch, named } from '@slipway/devcluster/testing/a-server';
import { definitionOf } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { aServerOfCustomKinds, definitionPath } from './testing/custom-kinds-server.js';

/** What every object of JavaScript has without anybody having put it there; all of them are ordinary keys of a map. */
const inherited = Object.getOwnPropertyNames(Object.prototype);
const values = Object.fromEntries(inherited.map((key) => [key, 'mine']));
const labels = Object.fromEntries(inherited.filter((key) => /^[a-z]/.test(key)).map((key) => [key, 'mine']));

const { api, ask, clock } = await aServerOfCustomKinds();

const maps = '/api/v1/namespaces/default/configmaps';

test('keys that every object inherits are kept, listed and watched like any other', async () => {
  const watch = await aWatch(api, `${maps}?watch=true`);
  const made = await ask('POST', maps, { ...named('ConfigMap', 'a'), metadata: { name: 'a', labels }, data: values });
  expect([made.status, made.body.data, made.body.metadata.labels]).toEqual([201, values, labels]);
  const yaml = `metadata: {name: b}\ndata:\n${inherited.map((key) => `  ${key}: mine\n`).join('')}`;
  expect((await ask('POST', maps, yaml, 'application/yaml')).body.data).toEqual(values);

  for (const key of Object.keys(labels)) {
    const found = await ask('GET', `${maps}?labelSelector=${key}%3Dmine`);
    expect(found.body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(['a']);
    expect((await ask('GET', `${maps}?labelSelector=%21${key}`)).body.items).toHaveLength(1);
  }
  expect(watch.frames.map(({ object }) => object.data)).toEqual([values, values]);
  watch.close();
});

test('a selector of what nobody has finds nothing, though every object inherits it', async () => {
  await ask('POST', maps, named('ConfigMap', 'plain'));
  for (const key of inherited.filter((name) => /^[a-z]/.test(name))) {
    const { body } = await ask('GET', `${maps}?labelSelector=${key}&fieldSelector=metadata.name%3Dplain`);
    expect(body.items).toEqual([]);
  }
});

test.each([
  ['merge-patch', { data: values }, { data: Object.fromEntries(inherited.map((key) => [key, null])) }],
  ['strategic-merge-patch', { data: values }, { data: Object.fromEntries(inherited.map((key) => [key, null])) }],
  [
    'json-patch',
    inherited.map((key) => ({ op: 'add', path: `/data/${key}`, value: 'mine' })),
    inherited.map((key) => ({ op: 'remove', path: `/data/${key}` })),
  ],
])('a %s sets such keys and takes them away', async (patch, set, unset) => {
  const path = `${maps}/${patch}`;
  await ask('POST', maps, { ...named('ConfigMap', patch), data: { other: 'x' } });
  expect((await ask('PATCH', path, set, `application/${patch}+json`)).body.data).toEqual({ other: 'x', ...values });
  expect((await ask('PATCH', path, unset, `application/${patch}+json`)).body.data).toEqual({ other: 'x' });
});

test('a JSON patch does not reach what an object only inherits', async () => {
  await ask('POST', maps, { ...named('ConfigMap', 'reached'), data: { other: 'x' } });
  for (const key of inherited) {
    const remove = await ask(
      'PATCH',
      `${maps}/reached`,
      [{ op: 'remove', path: `/data/${key}` }],
      'application/json-patch+json',
    );
    expect([key, remove.status]).toEqual([key, 422]);
  }
});

test('who applies such keys owns them, and they go when they are no longer applied', async () => {
  const apply = (manager: string, data: object, force = '') =>
    ask(
      'PATCH',
      `${maps}/applied?fieldManager=${manager}${force}`,
      { ...configMap('applied'), data },
      'application/apply-patch+yaml',
    );
  expect((await apply('one', values)).body.data).toEqual(values);
  const conflict = await apply('two', { constructor: 'theirs' });
  expect([conflict.status, conflict.body.details.causes]).toEqual([
    409,
    [{ reason: 'FieldManagerConflict', message: 'conflict with "one"', field: '.data.constructor' }],
  ]);
  expect((await apply('two', { constructor: 'theirs' }, '&force=true')).body.data.constructor).toBe('theirs');
  expect((await apply('one', {})).body.data).toEqual({ constructor: 'theirs' });
});

test('such keys are properties of custom kinds, with defaults, rules and pruning', async () => {
  const property = { type: 'string', default: 'set' };
  const spec = {
    type: 'object',
    properties: { constructor: property, toString: property, valueOf: { type: 'integer', maximum: 5 } },
    'x-kubernetes-validations': [{ rule: "self.constructor != 'bad'", message: 'is bad' }],
  };
  const odds = { group: 'example.dev', version: 'v1', kind: 'Odd', plural: 'odds', namespaced: true };
  const made = await ask('POST', definitionPath, definitionOf(odds, { type: 'object', properties: { spec } }));
  expect([made.status, made.body.message]).toEqual([201, undefined]);
  await clock.advance(10);
  const path = '/apis/example.dev/v1/namespaces/default/odds';
  const odd = (name: string, of: object) =>
    ask('POST', path, { apiVersion: 'example.dev/v1', kind: 'Odd', metadata: { name }, spec: of });
  expect((await odd('a', {})).body.spec).toEqual({ constructor: 'set', toString: 'set' });
  expect((await odd('b', { hasOwnProperty: 'pruned', valueOf: 4 })).body.spec).toEqual({
    constructor: 'set',
    toString: 'set',
    valueOf: 4,
  });
  expect((await odd('c', { constructor: 'bad' })).body.message).toMatch(/is bad/);
  expect((await odd('d', { valueOf: 6 })).body.message).toMatch(
    /spec.valueOf in body should be less than or equal to 5/,
  );
});

test('no request has changed what every object inherits', async () => {
  const sent = '{"metadata":{"name":"p"},"data":{"constructor":{"prototype":{"polluted":"x"}}}}';
  expect((await ask('POST', maps, sent)).status).toBe(400);
  expect(({} as { polluted?: string }).polluted).toBeUndefined();
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(inherited);
  expect(Object.getPrototypeOf({})).toBe(Object.prototype);
});

function configMap(name: string) {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } };
}
