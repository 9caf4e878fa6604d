import { aNode, aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { demandOf } from '../demand/demand.js';
import { aView } from '../testing/a-view.js';
import { aClaim, aDeviceView, aSlice } from '../testing/devices.js';
import { deviceChoiceScore } from './device-choice-score.js';

const choice = (name: string, expression: string) => ({
  name,
  deviceClassName: 'gpu',
  count: 1,
  selectors: [{ cel: { expression } }],
});
const claim = aClaim('c', [{ name: 'r', firstAvailable: [choice('large', 'large'), choice('small', 'small')] }]);
const nodes = ['n1', 'n2'].map((name) => aNode(name));
const slices = [
  aSlice('p', [{ name: 'small' }], { nodeName: 'n1' }),
  aSlice('q', [{ name: 'large' }], { nodeName: 'n2' }),
];
const pod = aPod('p', {
  spec: { containers: [], resourceClaims: [{ name: 'gpu', resourceClaimName: 'c' }] },
  status: {},
});
const rated = (claims = [claim], of = pod) => {
  const view = aView(nodes, [], { devices: aDeviceView(slices, claims) });
  return deviceChoiceScore.rate(demandOf(of), view.nodes, view);
};

test('deviceChoiceScore prefers nodes on which a request gets an earlier choice', () => {
  expect(rated()).toEqual([87, 100]);
});

test('deviceChoiceScore counts an allocated claim alike on all nodes', () => {
  const result = { request: 'r/small', driver: 'gpu.example.com', pool: 'p', device: 'small' };
  expect(rated([{ ...claim, status: { allocation: { devices: { results: [result] } } } }])).toEqual([100, 100]);
});

test('deviceChoiceScore rates nothing for pods without choices', () => {
  expect(rated([claim], aPod('q'))).toBeUndefined();
  expect(rated([aClaim('c', [])])).toBeUndefined();
});
