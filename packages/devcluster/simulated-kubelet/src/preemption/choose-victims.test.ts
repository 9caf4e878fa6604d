import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import type { AdmissionFailure } from '../pods/pod-admission.js';
import { type Candidate, chooseVictims } from './choose-victims.js';

/** `name/class/cpu/memory`, and a priority when it is not 0. */
function candidate(told: string): Candidate {
  const [name = '', quality = '', cpu = '0', memory = '0', priority = '0'] = told.split('/');
  const qosClass = { G: 'Guaranteed', B: 'Burstable', E: 'BestEffort' }[quality] ?? '';
  const priorityClassName = name === 'balloon' ? { priorityClassName: 'system-balloon' } : {};
  const pod: Pod = aPod(name, {
    spec: { priority: Number(priority), ...priorityClassName, containers: [] },
    status: { qosClass },
  });
  return {
    pod,
    amounts: new Map([
      ['cpu', Number(cpu)],
      ['memory', Number(memory)],
      ['pods', 1],
    ]),
  };
}

const critical = aPod('critical', { spec: { priority: 2_000_000_000, containers: [] } });
const missing = (told: string): AdmissionFailure[] =>
  told.split(' ').map((each) => {
    const [resource = '', amount = '0'] = each.split(':');
    return { kind: 'resource', resource, requested: Number(amount), used: 7, capacity: 7 };
  });
const none = (what: string) => `no set of running pods found to reclaim resources: [${what}]`;

// K7: "Victims: non-critical, or strictly lower priority; compute needed Guaranteed after assuming all lower QoS gone, then
// Burstable, then BestEffort; inside a class repeatedly take the pod with least squared relative shortfall, ties to smaller
// memory then cpu request". What is missing | on the node | who goes
const cases: [string, string, string, string][] = [
  ['only the one that covers it', 'cpu:500', 'a/B/400/10 b/B/500/10 c/B/900/10', 'b'],
  ['the smaller of two that cover it', 'cpu:500', 'a/B/900/20 b/B/900/10', 'b'],
  ['the smaller cpu when memory is equal', 'cpu:500', 'a/B/900/10 b/B/600/10', 'b'],
  ['two when one is not enough: nearest first', 'cpu:500', 'a/B/100/10 b/B/400/10 c/B/300/10', 'b a'],
  ['both resources, the one that covers both', 'cpu:500 memory:100', 'a/B/500/0 b/B/0/100 c/B/500/100', 'c'],
  ['best effort does not help where requests are missing', 'cpu:500', 'a/E/0/0 b/B/500/0', 'b'],
  ['best effort where a place is missing', 'pods:1', 'a/E/0/0 b/B/500/0 c/G/500/10', 'a'],
  ['burstable before guaranteed', 'cpu:500', 'a/G/500/10 b/B/900/90', 'b'],
  [
    'guaranteed when the others are not enough, and then no more of the others than needed',
    'cpu:500',
    'a/G/500/10 b/B/300/10',
    'a',
  ],
  ['not a pod as critical', 'cpu:500', 'a/B/500/10/2000000000', none('(res: cpu, q: 500), ')],
  ['never a balloon', 'cpu:500', 'balloon/B/9000/10 b/B/300/10', none('(res: cpu, q: 200), ')],
  ['none at all', 'cpu:5 memory:6', '', none('(res: cpu, q: 5), (res: memory, q: 6), ')],
];

test.each(cases)('chooseVictims(): %s', (_what, short, there, expected) => {
  const chosen = chooseVictims(critical, there === '' ? [] : there.split(' ').map(candidate), missing(short));
  const names = chosen.kind === 'none' ? chosen.why : chosen.victims.map(({ pod }) => pod.metadata.name).join(' ');
  expect(names).toBe(expected);
});
