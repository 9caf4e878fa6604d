import type { Node, NodeCondition, Taint } from '@slipway/kube-objects/kinds/api/nodes';
import { aNode } from '@slipway/kube-objects/testing/objects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Eviction, isEvicting, wantedTaints } from './node-taints.js';

const nowMs = Date.UTC(2026, 0, 2);
const prefix = 'node.kubernetes.io/';
const taint = (text: string): Taint => {
  const [key = '', effect] = text.split(':');
  return { key: key.startsWith('mine') ? key : `${prefix}${key}`, effect: effect as Taint['effect'] };
};
function node(conditions: Record<string, string>, taints: readonly string[], unschedulable = false): Node {
  const stated = Object.entries(conditions).map(([type, status]) => ({ type, status }) as NodeCondition);
  return { ...aNode('n', { spec: { taints: taints.map(taint), unschedulable } }), status: { conditions: stated } };
}
const told = (taints: readonly Taint[]) => taints.map(({ key, effect }) => `${key.replace(prefix, '')}:${effect}`);

// conditions | eviction | taints there | cordoned | taints wanted
const cases: [Record<string, string>, Eviction, string[], boolean, string[]][] = [
  [{ Ready: 'True' }, 'known', [], false, []],
  [{ Ready: 'Unknown' }, 'new', [], false, ['unreachable:NoSchedule', 'unreachable:NoExecute']],
  [{ Ready: 'False' }, 'new', [], false, ['not-ready:NoSchedule', 'not-ready:NoExecute']],
  [{}, 'new', [], false, []],
  [{ Ready: 'Unknown' }, 'known', [], false, ['unreachable:NoSchedule']],
  [
    { Ready: 'Unknown' },
    'known',
    ['not-ready:NoSchedule', 'not-ready:NoExecute'],
    false,
    ['unreachable:NoSchedule', 'unreachable:NoExecute'],
  ],
  [{ Ready: 'Unknown' }, 'none', ['unreachable:NoExecute'], false, ['unreachable:NoSchedule']],
  [
    { Ready: 'True' },
    'known',
    ['unreachable:NoSchedule', 'mine:NoExecute', 'unreachable:NoExecute'],
    false,
    ['mine:NoExecute'],
  ],
  [{ Ready: 'True' }, 'known', ['mine:NoSchedule'], true, ['mine:NoSchedule', 'unschedulable:NoSchedule']],
  [{ Ready: 'True' }, 'known', ['unschedulable:NoSchedule'], false, []],
  [
    { Ready: 'True', MemoryPressure: 'True', DiskPressure: 'False' },
    'known',
    [],
    false,
    ['memory-pressure:NoSchedule'],
  ],
];
test.each(cases)('wantedTaints() with %j, eviction %s, %j', (conditions, eviction, there, cordoned, expected) => {
  expect(told(wantedTaints(node(conditions, there, cordoned), eviction, nowMs))).toEqual(expected);
});

test('wantedTaints() keeps when a taint was added, and is content with what it asked for', () => {
  const statuses = fc.constantFrom('True', 'False', 'Unknown');
  const conditions = fc.record({ Ready: statuses, PIDPressure: statuses });
  const texts = [
    'mine:NoExecute',
    'mine:NoSchedule',
    'not-ready:NoExecute',
    'unreachable:NoSchedule',
    'disk-pressure:NoSchedule',
  ];
  const evictions = fc.constantFrom<Eviction>('new', 'known', 'none');
  fc.assert(
    fc.property(conditions, evictions, fc.subarray(texts), fc.boolean(), (stated, eviction, there, cordoned) => {
      const before = node(stated, there, cordoned);
      const wanted = wantedTaints(before, eviction, nowMs);
      const after = { ...before, spec: { ...before.spec, taints: wanted } };
      expect(wantedTaints(after, eviction, nowMs + 60_000)).toEqual(wanted);
      expect(wanted.filter(({ key }) => key === 'mine')).toEqual(
        before.spec?.taints?.filter(({ key }) => key === 'mine'),
      );
      expect(isEvicting(after)).toBe(
        stated.Ready !== 'True' && (eviction === 'new' || (eviction === 'known' && isEvicting(before))),
      );
    }),
  );
});
