import { expect, test } from 'vitest';
import { plays, singleBinary } from './single-binary.js';

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

test('a process that has several components in it plays each of them', () => {
  const all = ['kube-apiserver', 'kube-scheduler', 'kube-controller-manager', 'kubelet', 'kube-proxy', 'acme-operator'];
  expect(all.filter((component) => plays('k3s-server', component))).toEqual(all.slice(0, -1));
  expect(all.filter((component) => plays('k3s-agent', component))).toEqual(['kubelet', 'kube-proxy']);
  expect(all.filter((component) => plays('kubelet', component))).toEqual(['kubelet']);
});
