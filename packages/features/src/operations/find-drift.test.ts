import { expect, test } from 'vitest';
import type { GateValue } from '../api/feature-vector.js';
import { findDrift } from './find-drift.js';

const process = (name: string, component: string, ...gates: GateValue[]) => ({
  name,
  component,
  version: 'v1.34.0',
  vector: `${component}/${JSON.stringify(gates)}`,
  gates: new Map(gates.map((gate) => [gate.name, gate])),
});
const on = { name: 'A', enabled: true };
const off = { name: 'A', enabled: false };

test('findDrift() names who has which value, within a component only', () => {
  const processes = [process('n1', 'kubelet', on), process('n2', 'kubelet', off), process('n3', 'kubelet', off)];
  expect(findDrift([...processes, process('s1', 'kube-scheduler', on)])).toEqual([
    { component: 'kubelet', gate: 'A', on: ['n1'], off: ['n2', 'n3'], mixed: [] },
  ]);
});

test('findDrift() lets a process that does not have the gate be, and one that contradicts itself not', () => {
  expect(findDrift([process('n1', 'kubelet', on), process('n2', 'kubelet')])).toEqual([]);
  expect(findDrift([process('n1', 'kubelet', { ...on, mixed: true })])).toMatchObject([{ mixed: ['n1'], on: [] }]);
});
