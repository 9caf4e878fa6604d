import { expect, test } from 'vitest';
import { Component } from './component.js';
import { componentGate } from './component-gates.js';

const gate = 'MaxUnavailableStatefulSet';

function aComponent() {
  const said: string[] = [];
  let runs = 0;
  const component = new Component({
    name: 'kube-controller-manager',
    instance: 'here',
    makeGate: () => componentGate('kube-controller-manager', '1.34'),
    run: (of) => {
      const run = ++runs;
      return {
        start: async () => void said.push(`start ${run} ${of.enabled(gate)}`),
        stop: async () => void said.push(`stop ${run}`),
      };
    },
    report: (of) => {
      said.push(`report ${of.enabled(gate)}`);
      return { stop: async () => void said.push('silent') };
    },
  });
  return { component, said };
}

test('Component restarts with a pinned gate and releases it again', async () => {
  const { component, said } = aComponent();
  await component.start();
  await component.restart({ pin: `${gate}=true` });
  expect(component.gate.enabled(gate)).toBe(true);
  await component.restart();
  expect(component.gate.enabled(gate)).toBe(false);
  await component.stop();
  expect(said).toEqual([
    ...['start 1 false', 'report false', 'silent', 'stop 1'],
    ...['start 2 true', 'report true', 'silent', 'stop 2'],
    ...['start 3 false', 'report false', 'silent', 'stop 3'],
  ]);
});

test('Component runs on when a pin is refused', async () => {
  const { component, said } = aComponent();
  await component.start();
  await expect(component.restart({ pin: 'NoSuchGate=true' })).rejects.toThrow('unrecognized feature gate');
  expect(said).toEqual(['start 1 false', 'report false']);
});

test('Component does one thing after the other', async () => {
  const { component, said } = aComponent();
  await Promise.all([component.start(), component.start(), component.restart(), component.stop(), component.stop()]);
  expect(said.filter((word) => word.startsWith('st'))).toEqual(['start 1 false', 'stop 1', 'start 2 false', 'stop 2']);
});

test.each([
  ['kube-apiserver', true],
  ['kube-controller-manager', true],
  ['kube-scheduler', false],
  ['kubelet', false],
])('componentGate() of %s registers MaxUnavailableStatefulSet: %s', (component, isThere) => {
  const names = componentGate(component, '1.34')
    .list()
    .map(({ name }) => name);
  expect(names.includes(gate)).toBe(isThere);
});
