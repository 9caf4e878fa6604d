import { expect, test } from 'vitest';
import type { RunningProcess } from '../upgrade/upgrade-view.js';
import { findDifferences } from './find-differences.js';

/** `kubelet A=on B=off`, one process a line. */
function running(...lines: readonly string[]): readonly RunningProcess[] {
  return lines.map((line) => {
    const [component = '', ...values] = line.split(' ');
    const gates = values.map((value) => {
      const [name = '', how] = value.split('=');
      return [name, { name, enabled: how === 'on', ...(how === 'mixed' && { mixed: true }) }] as const;
    });
    return { name: line, component, version: 'v1.34.0', vector: line, gates: new Map(gates) };
  });
}

const found = (one: readonly string[], other: readonly string[]) =>
  findDifferences(running(...one), running(...other)).map(
    ({ component, gate, one: left, other: right }) => `${component} ${gate} ${left} ${right}`,
  );

test.each([
  ['the same on both sides', ['kubelet A=on B=off'], ['kubelet A=on B=off'], []],
  ['another value', ['kubelet A=on B=off'], ['kubelet A=off B=off'], ['kubelet A on off']],
  ['a gate that one side does not have', ['kubelet A=on'], ['kubelet A=on B=off'], ['kubelet B none off']],
  ['processes that disagree', ['kubelet A=on', 'kubelet A=off'], ['kubelet A=on'], ['kubelet A both on']],
  ['a process that read two values', ['kubelet A=mixed'], ['kubelet A=on'], ['kubelet A both on']],
  ['a component that one side does not report', ['kubelet A=on B=off'], [], ['kubelet A on none']],
  [
    'components are compared one by one',
    ['kubelet A=on', 'kube-proxy A=on'],
    ['kubelet A=on', 'kube-proxy A=off'],
    ['kube-proxy A on off'],
  ],
])('findDifferences(): %s', (_, one, other, expected) => {
  expect(found(one, other)).toEqual(expected);
});
