import type { ContainerResources, Pod } from '@slipway/kube-objects/kinds/api/pods';
import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { askedBy } from '../allocation/allocation.js';
import { type NodePolicies, ordinaryPolicies } from '../settings/node-policies.js';
import { whyInfeasible } from './judge-resize.js';

interface Told {
  readonly from: ContainerResources;
  readonly to: ContainerResources;
  readonly qosClass?: string;
  readonly isStatic?: boolean;
  readonly priority?: number;
  readonly restartsForMemory?: boolean;
}

const restarts = [{ resourceName: 'memory', restartPolicy: 'RestartContainer' as const }];
function podOf(
  { qosClass = 'Burstable', isStatic, priority = 0, restartsForMemory }: Told,
  resources: ContainerResources,
): Pod {
  const annotations = isStatic ? { 'kubernetes.io/config.mirror': 'x' } : {};
  const container = { name: 'main', resources, ...(restartsForMemory && { resizePolicy: restarts }) };
  return aPod('p', { metadata: { annotations }, spec: { containers: [container], priority }, status: { qosClass } });
}

const gibi = 1024 ** 3;
const capacity = new Map([
  ['cpu', 4000],
  ['memory', 8 * gibi],
]);
const amounts = (cpu: string, memory: string) => ({ cpu, memory });
const requests = (cpu: string, memory: string): ContainerResources => ({ requests: amounts(cpu, memory) });
const fixed = (cpu: string, memory: string): ContainerResources => ({
  requests: amounts(cpu, memory),
  limits: amounts(cpu, memory),
});
const small = requests('1', '1Gi');
const noSwap = 'In-place resize of containers with swap is not supported.';
const ownsCpu = 'Resize is infeasible for Guaranteed Pods alongside CPU Manager policy "static"';
const ownsMemory = 'Resize is infeasible for Guaranteed Pods alongside Memory Manager policy "Static"';
const beyond = (figures: string) => `Node didn't have enough capacity: ${figures}`;
const guaranteed = { qosClass: 'Guaranteed', from: fixed('1', '1Gi') };

// K3: "Infeasible checks in order: static pod; swap; Guaranteed + static CPU then memory manager; request > capacity - reserved"
const cases: [string, Told, Partial<NodePolicies>, string | undefined][] = [
  ['all there is', { from: small, to: requests('4', '8Gi') }, {}, undefined],
  [
    'more cpu than there is',
    { from: small, to: requests('4001m', '8Gi') },
    {},
    beyond('cpu, requested: 4001, capacity: 4000'),
  ],
  [
    'more of both',
    { from: small, to: requests('5', '9Gi') },
    {},
    beyond(`memory, requested: ${9 * gibi}, capacity: ${8 * gibi}`),
  ],
  [
    'a static pod',
    { from: small, to: requests('5', '1Gi'), isStatic: true },
    { swaps: true },
    'In-place resize of static-pods is not supported',
  ],
  ['memory that may be swapped', { from: small, to: requests('5', '2Gi') }, { swaps: true }, noSwap],
  ['cpu beside memory that may be swapped', { from: small, to: requests('2', '1Gi') }, { swaps: true }, undefined],
  [
    'swapped memory with a restart',
    { from: small, to: requests('1', '2Gi'), restartsForMemory: true },
    { swaps: true },
    undefined,
  ],
  [
    'memory of a critical pod, which never swaps',
    { from: small, to: requests('1', '2Gi'), priority: 2_000_000_000 },
    { swaps: true },
    undefined,
  ],
  [
    'memory of a guaranteed pod, which never swaps',
    { ...guaranteed, to: fixed('1', '2Gi') },
    { swaps: true },
    undefined,
  ],
  ['cpus of its own', { ...guaranteed, to: fixed('2', '2Gi') }, { staticCpu: true, staticMemory: true }, ownsCpu],
  ['memory of its own', { ...guaranteed, to: fixed('1', '2Gi') }, { staticCpu: true, staticMemory: true }, ownsMemory],
  ['cpus that are not its own', { from: small, to: requests('2', '1Gi') }, { staticCpu: true }, undefined],
];

test.each(cases)('whyInfeasible() of a resize to %s', (_what, told, policies, why) => {
  const allocation = askedBy(podOf(told, told.from));
  expect(whyInfeasible(podOf(told, told.to), allocation, capacity, { ...ordinaryPolicies, ...policies })).toBe(why);
});
