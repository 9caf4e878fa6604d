import type { PodSpec } from '@slipway/kube-objects/kinds/api/pods';
import { aNode, aPod } from '@slipway/kube-objects/testing/objects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { demandOf } from '../demand/demand.js';
import { aView } from '../testing/a-view.js';
import { nodeState } from '../view/node-state.js';
import { balancedAllocation, balanceGained, leastAllocated } from './resource-scores.js';
import type { Score } from './score.js';

const nodes = [
  { cpu: '4', memory: '5G' },
  { cpu: '4', memory: '4Gi' },
  { cpu: '3500m', memory: '4Gi' },
].map((allocatable, index) => nodeState(aNode(`n${index}`, { allocatable }), []));
const silent = { name: 'main', image: 'image' };
const asking = (requests: Record<string, string>) => ({ ...silent, resources: { requests } });

function rated({ rate }: Score, spec: Partial<PodSpec>): readonly number[] | undefined {
  return rate(demandOf(aPod('p', { spec: { containers: [silent], ...spec }, status: {} })), nodes, aView([]));
}

// As kube-scheduler 1.37.2 has logged them.
test('what a pod asks for as a whole counts for balance, and not for what it leaves', () => {
  const whole = { containers: [silent, silent], resources: { requests: { cpu: '500m', memory: '64Mi' } } };
  expect(rated(leastAllocated, whole)).toEqual([93, 92, 92]);
  expect(rated(balanceGained, whole)).toEqual([72, 72, 71]);
});

test('balance is rated by how much more even a node becomes since 1.36, and was by how even it is', () => {
  const spec = { containers: [asking({ cpu: '2', memory: '64Mi' })] };
  expect(rated(balancedAllocation, spec)).toEqual([75, 75, 72]);
  expect(rated(balanceGained, spec)).toEqual([62, 62, 61]);
  expect(rated(balanceGained, {})).toBeUndefined();
});

test('every container that asks for nothing weighs something, those that run before the others too', () => {
  const little = asking({ cpu: '1m', memory: '1Mi' });
  const [alone, , ,] = rated(leastAllocated, { containers: [little] }) ?? [];
  const sidecar = { ...silent, restartPolicy: 'Always' as const };
  const beside = rated(leastAllocated, { containers: [little], initContainers: [sidecar] });
  const before = rated(leastAllocated, { containers: [little], initContainers: [silent] });
  expect(alone).toBe(99);
  expect(before).toEqual(rated(leastAllocated, {}));
  expect(beside).toEqual(before);
});

test('a node that the pod makes more even gains: above 75, and never out of 50 to 100', () => {
  const amount = fc.integer({ min: 0, max: 4_000 });
  fc.assert(
    fc.property(amount, amount, amount, amount, (usedCpu, usedMemory, cpu, memory) => {
      const pod = (m: number, mi: number) =>
        demandOf(aPod('p', { spec: { containers: [asking({ cpu: `${m}m`, memory: `${mi}Mi` })] }, status: {} }));
      const node = aNode('n', { allocatable: { cpu: '4', memory: '4000Mi' } });
      const states = [nodeState(node, [pod(usedCpu, usedMemory)])];
      const [gained] = balanceGained.rate(pod(cpu, memory), states, aView([])) ?? [];
      if (gained === undefined) return expect([cpu, memory]).toEqual([0, 0]);
      expect(gained).toBeGreaterThanOrEqual(50);
      expect(gained).toBeLessThanOrEqual(100);
      const uneven = (a: number, b: number) => Math.abs(Math.min(4_000, a) - Math.min(4_000, b));
      const change = uneven(usedCpu + cpu, usedMemory + memory) - uneven(usedCpu, usedMemory);
      if (change > 0) expect(gained).toBeLessThanOrEqual(75);
      if (change < 0) expect(gained).toBeGreaterThanOrEqual(75);
    }),
  );
});
