import { expect, test } from 'vitest';
import { effectiveRequests } from './effective-requests.js';
import { formatQuantity } from './quantity.js';

const infeasible = { type: 'PodResizePending', status: 'True', reason: 'Infeasible' };
const deferred = { ...infeasible, reason: 'Deferred' };
const main = (cpu: string) => ({ name: 'main', resources: { requests: { cpu } } });
const sidecar = (cpu: string) => ({ ...main(cpu), name: 'side', restartPolicy: 'Always' });
const seen = (allocated: string | undefined, actual: string, name = 'main') => ({
  name,
  ...(allocated && { allocatedResources: { cpu: allocated } }),
  resources: { requests: { cpu: actual } },
});

// pod | spec | status | cpu it takes
const cases: [string, object, object, string | undefined][] = [
  ['not started', { containers: [main('1')] }, {}, '1'],
  ['over', { containers: [main('1')] }, { phase: 'Succeeded' }, undefined],
  ['to grow', { containers: [main('3')] }, { containerStatuses: [seen('1', '1')], conditions: [deferred] }, '3'],
  ['to shrink, not yet done', { containers: [main('1')] }, { containerStatuses: [seen('1', '2')] }, '2'],
  ['growing, allocated', { containers: [main('1')] }, { containerStatuses: [seen('2', '1')] }, '2'],
  ['without allocatedResources', { containers: [main('1')] }, { containerStatuses: [seen(undefined, '2')] }, '2'],
  [
    'to grow beyond the node',
    { containers: [main('9')] },
    { containerStatuses: [seen('1', '2')], conditions: [infeasible] },
    '2',
  ],
  [
    'to grow beyond the node, resources not reported',
    { containers: [main('9')] },
    { containerStatuses: [{ name: 'main' }], conditions: [infeasible] },
    '9',
  ],
  [
    'with a sidecar that grows',
    { containers: [main('1')], initContainers: [sidecar('1')] },
    { initContainerStatuses: [seen('2', '1', 'side')] },
    '3',
  ],
  [
    'with an init container, which is not resized',
    { containers: [main('1')], initContainers: [{ ...main('2'), name: 'init' }] },
    { initContainerStatuses: [seen('5', '5', 'init')] },
    '2',
  ],
];

test.each(cases)('effectiveRequests() of a pod %s', (_which, spec, status, expected) => {
  const { cpu } = effectiveRequests({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec, status });
  expect(cpu && formatQuantity(cpu)).toBe(expected);
});
