import { describeFieldErrors } from '@slipway/api-machinery/errors/field-errors';
import { aServer, named } from '@slipway/devcluster/testing/a-server';
import { configMaps } from '@slipway/kubernetes-kinds/kinds/config-map';
import { expect, test } from 'vitest';
import { metadataProblems, metadataUpdateProblems } from './object-meta.js';

const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };

// metadata | what is wrong, in part
const problems: [Record<string, unknown>, string][] = [
  [{ name: 'ok' }, ''],
  [{}, 'metadata.name: Required value: name or generateName is required'],
  [{ name: 'Upper' }, 'metadata.name: Invalid value: "Upper": a lowercase RFC 1123 subdomain'],
  [{ name: 'a', generateName: 'a-' }, ''],
  [{ name: 'a', labels: { 'a b': 'c' } }, 'metadata.labels: Invalid value: "a b": name part must consist of'],
  [{ name: 'a', labels: { a: 'b c' } }, 'metadata.labels: Invalid value: "b c": a valid label must be'],
  [{ name: 'a', annotations: { 'Upper.com/x': 'y' } }, ''],
  [
    { name: 'a', annotations: { a: 'x'.repeat(262_144) } },
    'metadata.annotations: Too long: may not be more than 262144 bytes',
  ],
  [{ name: 'a', finalizers: ['plain'] }, 'metadata.finalizers[0]: Invalid value: "plain": name is neither a standard'],
  [{ name: 'a', finalizers: ['x.dev/ok', 'orphan'] }, ''],
  [{ name: 'a', finalizers: ['orphan', 'foregroundDeletion'] }, 'cannot be both set'],
  [
    { name: 'a', ownerReferences: [{ ...owner, uid: '' }] },
    'metadata.ownerReferences.uid: Invalid value: "": must not be empty',
  ],
  [{ name: 'a', ownerReferences: [{ ...owner, kind: 'Event' }] }, '/v1, Kind=Event is disallowed from being an owner'],
  [
    {
      name: 'a',
      ownerReferences: [
        { ...owner, controller: true },
        { ...owner, name: 'q', controller: true },
      ],
    },
    'Found "true" in references for Pod/p and Pod/q',
  ],
];

test.each(problems)('metadataProblems() of %j', (metadata, expected) => {
  const errors = metadataProblems(
    configMaps,
    {
      ...named('ConfigMap', ''),
      metadata: { namespace: 'default', ...metadata },
    },
    '1.34',
  );
  if (expected === '') expect(errors).toEqual([]);
  else expect(describeFieldErrors(errors)).toContain(expected);
});

test('metadataUpdateProblems() holds what cannot change, and takes no new finalizers of what is going', () => {
  const before = { ...named('ConfigMap', 'a'), metadata: { name: 'a', uid: 'u', finalizers: ['x.dev/a'] } };
  const change = (metadata: object, old = before) =>
    describeFieldErrors(
      metadataUpdateProblems(configMaps, { ...old, metadata: { ...old.metadata, ...metadata } }, old, '1.34'),
    );
  expect(change({ uid: 'v' })).toBe('metadata.uid: Invalid value: "v": field is immutable');
  expect(change({ finalizers: ['x.dev/a', 'x.dev/b'] })).toBe('[]');
  const going = { ...before, metadata: { ...before.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
  expect(change({ finalizers: ['x.dev/a', 'x.dev/b'] }, going)).toContain('found new finalizers []string{"x.dev/b"}');
});

test('the system keeps its part of metadata, whatever a client writes there', async () => {
  const { ask } = await aServer();
  const path = '/api/v1/namespaces/default/configmaps';
  const metadata = { name: 'c', uid: 'mine', generation: 7, creationTimestamp: '2001-01-01T00:00:00Z', selfLink: '/x' };
  const { body } = await ask('POST', path, { ...named('ConfigMap', 'c'), metadata });
  expect(body.metadata).toEqual({
    generation: 7,
    name: 'c',
    namespace: 'default',
    uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    creationTimestamp: '2026-01-01T00:00:00Z',
    resourceVersion: expect.stringMatching(/^\d+$/),
  });
});
