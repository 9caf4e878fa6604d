import type { OwnerReference } from '@slipway/kube';
import { pods } from '@slipway/kube-objects/kinds/api/pods';
import { aPod } from '@slipway/kube-objects/testing/objects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideDependent, OwnerGraph, type OwnerState } from './owner-graph.js';

const owner = (uid: string): OwnerReference => ({ apiVersion: 'v1', kind: 'ConfigMap', name: uid, uid });
const owned = (...uids: string[]) => aPod('p', { metadata: { uid: 'p', ownerReferences: uids.map(owner) } });

// states of the owners | action
const cases: [OwnerState[], ReturnType<typeof decideDependent>][] = [
  [[], { kind: 'keep' }],
  [['there'], { kind: 'keep' }],
  [['there', 'there'], { kind: 'keep' }],
  [['gone'], { kind: 'delete', inForeground: false }],
  [['gone', 'elsewhere'], { kind: 'delete', inForeground: false }],
  [['waiting'], { kind: 'delete', inForeground: true }],
  [['gone', 'waiting'], { kind: 'delete', inForeground: true }],
  [['there', 'gone'], { kind: 'release', owners: [owner('0')] }],
  [['waiting', 'there'], { kind: 'release', owners: [owner('1')] }],
  [['gone', 'unknown'], { kind: 'undecided' }],
  [['unknown'], { kind: 'undecided' }],
];

test.each(cases)('decideDependent() with owners %j', (states, action) => {
  const object = owned(...states.map((_, index) => String(index)));
  expect(decideDependent(object, ({ uid }) => states[Number(uid)] ?? 'unknown')).toEqual(action);
});

test('judge() leaves alone what is being deleted already', () => {
  const object = owned('0');
  object.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
  expect(decideDependent(object, () => 'gone')).toEqual({ kind: 'keep' });
});

test('any story: OwnerGraph knows the dependents exactly', () => {
  const uid = fc.constantFrom('a', 'b', 'c', 'd');
  const event = fc.record({ uid, owners: fc.uniqueArray(uid), isGone: fc.boolean() });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 30 }), (story) => {
      const graph = new OwnerGraph();
      const model = new Map<string, readonly string[]>();
      for (const { uid, owners, isGone } of story) {
        if (isGone) {
          graph.remove(uid);
          model.delete(uid);
        } else {
          const object = aPod(uid, { metadata: { uid, ownerReferences: owners.map(owner) } });
          graph.put({ resource: pods, object });
          model.set(uid, owners);
        }
      }
      for (const each of ['a', 'b', 'c', 'd']) {
        const expected = [...model].filter(([, owners]) => owners.includes(each)).map(([uid]) => uid);
        expect([...graph.dependentsOf(each)].sort()).toEqual(expected.sort());
        expect(graph.get(each) !== undefined).toBe(model.has(each));
      }
    }),
  );
});
