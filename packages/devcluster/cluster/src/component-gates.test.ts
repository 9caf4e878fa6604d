import { expect, test } from 'vitest';
import { acceptedFlag, pinnedGates } from './component-gates.js';

const gate = 'MaxUnavailableStatefulSet';

test('pinnedGates() gives settings for all to the components that know them, and lets single components differ', () => {
  expect(pinnedGates('1.34', { [gate]: true }, { 'kube-apiserver': { [gate]: false } })).toEqual({
    'kube-apiserver': `${gate}=false`,
    'kube-controller-manager': `${gate}=true`,
    'kube-scheduler': '',
    kubelet: '',
  });
});

test.each([
  [{ Nope: true }, {}, 'no component has a gate "Nope"'],
  [{}, { 'kube-proxy': {} }, 'there is no component "kube-proxy"'],
  [{}, { kubelet: { [gate]: true } }, 'kubelet refuses'],
  [{}, { toString: { [gate]: true } }, 'there is no component "toString"'],
])('pinnedGates(%j, %j) is refused: %s', (forAll, forOne, message) => {
  expect(() => pinnedGates('1.34', forAll, forOne as never)).toThrow(
    expect.objectContaining({ reason: 'BadOption', exitCode: 2, message: expect.stringContaining(message) }),
  );
});

test('acceptedFlag() is what the gate is set to', () => {
  expect(acceptedFlag('kube-apiserver', '1.34', { [gate]: true, AllAlpha: false })).toBe(`${gate}=true,AllAlpha=false`);
  expect(acceptedFlag('kube-apiserver', '1.34', {})).toBe('');
});
