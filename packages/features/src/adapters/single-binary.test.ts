import { expect, test } from 'vitest';
import { processesWith, singleBinary } from './single-binary.js';

// version of the kubelet | on a control plane node | the process that it is part of
const cases: [string, boolean, string | undefined][] = [
  ['v1.33.4', true, undefined],
  ['v1.33.4+k3s1', true, 'k3s-server'],
  ['v1.33.4+k3s1', false, 'k3s-agent'],
  ['v1.33.4+rke2r1', true, undefined],
  ['v1.33.4-gke.100', false, undefined],
];

test.each(cases)('singleBinary(%s, control plane: %s) is %s', (version, isControlPlane, process) => {
  expect(singleBinary(version, isControlPlane)).toBe(process);
});

// component | processes that have it in them
test.each([
  ['kube-apiserver', ['k3s-server']],
  ['kubelet', ['k3s-server', 'k3s-agent']],
  ['acme-operator', []],
])('processesWith(%s) are %j', (component, processes) => {
  expect(processesWith(component)).toEqual(processes);
});
