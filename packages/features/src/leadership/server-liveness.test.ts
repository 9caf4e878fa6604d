import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Feature } from '../api/feature.js';
import type { LeaseObject } from '../uses/watch-rosters.js';
import { isUnseen, serverLiveness, serverProblem } from './server-liveness.js';

const nowMs = Date.UTC(2026, 0, 1);
const ago = (seconds: number) => new Date(nowMs - seconds * 1_000).toISOString();

function aLease(
  renewedSecondsAgo: number,
  { holder = 'a_1', written = undefined as number | undefined } = {},
): LeaseObject {
  const managedFields = [{ manager: 'a', time: ago(written ?? 0), fieldsV1: { 'f:spec': { 'f:renewTime': {} } } }];
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'slipway-server-1', ...(written !== undefined && { managedFields }) },
    spec: { ...(holder && { holderIdentity: holder }), renewTime: ago(renewedSecondsAgo) },
  };
}

function aFeature(generation: number, observed: number | undefined, changedSecondsAgo: number): Feature {
  const managedFields = [
    { manager: 'cli', time: ago(changedSecondsAgo), fieldsV1: { 'f:spec': { 'f:desired': {} } } },
    { manager: 'server', time: ago(0), subresource: 'status', fieldsV1: { 'f:status': {} } },
  ];
  return {
    apiVersion: 'features.slipway.dev/v1alpha1',
    kind: 'Feature',
    metadata: { name: 'widgets', namespace: 'acme', generation, managedFields },
    spec: { gate: 'Widgets' },
    ...(observed !== undefined && { status: { observedGeneration: observed } }),
  };
}

// leases | features | what people are told
test.each<[string, readonly LeaseObject[] | undefined, readonly Feature[], string | undefined]>([
  ['a server renews', [aLease(5)], [], undefined],
  ['one of two renews', [aLease(500), aLease(19)], [], undefined],
  ['no server ever ran', [], [], 'no feature server runs; nothing will change until one does'],
  ['the last was killed', [aLease(190), aLease(700)], [], 'no feature server has run for 3 m; nothing will change'],
  ['it was killed a moment ago', [aLease(21)], [], 'no feature server has run for 21 s;'],
  ['it stopped in order', [aLease(2, { holder: '' })], [], 'no feature server has run for 2 s;'],
  ['the clock of the server is behind by years', [aLease(9e8, { written: 3 })], [], undefined],
  ['the clock of the server is ahead, and it was killed', [aLease(-9e8, { written: 7_300 })], [], 'run for 2 h;'],
  ['a server lives and has just been asked', [aLease(5)], [aFeature(4, 3, 2)], undefined],
  [
    'a server lives and ignores a change',
    [aLease(5)],
    [aFeature(4, 3, 180)],
    'a change of 3 m ago, although one runs;',
  ],
  ['leases may not be read, all is seen', undefined, [aFeature(4, 4, 900)], undefined],
  ['leases may not be read, a change is ignored', undefined, [aFeature(2, undefined, 180)], 'a change of 3 m ago;'],
])('serverProblem() when %s', (_when, leases, features, says) => {
  const problem = serverProblem(serverLiveness({ leases, features, nowMs }));
  if (says === undefined) expect(problem).toBeUndefined();
  else expect(problem).toContain(says);
});

test('serverLiveness() is alive exactly while some held lease was written less than 20 s ago and every spec is seen', () => {
  const lease = fc.record({
    age: fc.integer({ min: 0, max: 60 }),
    skew: fc.integer({ min: -1e8, max: 1e8 }),
    held: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(lease, { maxLength: 5 }), fc.boolean(), (all, unseen) => {
      const leases = all.map(({ age, skew, held }) => aLease(age + skew, { holder: held ? 'a' : '', written: age }));
      const { kind } = serverLiveness({ leases, features: unseen ? [aFeature(2, 1, 61)] : [], nowMs });
      const lives = all.some(({ age, held }) => held && age < 20);
      expect(kind).toBe(!lives ? 'absent' : unseen ? 'stalled' : 'alive');
    }),
  );
});

test('isUnseen() ignores a Feature that is being deleted, or that has no generation', () => {
  const feature = aFeature(4, 3, 0);
  expect(isUnseen(feature)).toBe(true);
  const { generation: _none, ...metadata } = feature.metadata;
  expect(isUnseen({ ...feature, metadata })).toBe(false);
  expect(isUnseen({ ...feature, metadata: { ...feature.metadata, deletionTimestamp: ago(1) } })).toBe(false);
});
