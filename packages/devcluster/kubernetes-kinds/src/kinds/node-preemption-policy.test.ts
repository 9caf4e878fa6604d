import { describeFieldErrors } from '@slipway/api-machinery/errors/field-errors';
import { resizePreemptionGate } from '@slipway/kube-objects/rules/gate-names';
import { expect, test } from 'vitest';
import { nodes } from './node.js';
import { created, updated, writing } from './testing/write.js';

const owned = (...disableResizePreemption: readonly string[]) => ({
  spec: { podPreemptionPolicy: { disableResizePreemption } },
});
const on = writing({ gates: [resizePreemptionGate] });

test('a node keeps who wants no preemption for resizes there while the gate is on, and later what it has', () => {
  expect(created(nodes, owned('a.example/b')).spec.podPreemptionPolicy).toBeUndefined();
  const kept = created(nodes, owned('a.example/b'), on);
  expect(kept.spec.podPreemptionPolicy).toEqual({ disableResizePreemption: ['a.example/b'] });
  expect(updated(nodes, kept, owned('a.example/b', 'c')).spec).toMatchObject(owned('a.example/b', 'c').spec);
});

const field = 'spec.podPreemptionPolicy.disableResizePreemption';
const many = Array.from({ length: 21 }, (_, index) => `owner-${index}`);
// owners | what is wrong with them
const cases: [string[], string[]][] = [
  [['balloons.slipway.dev/no-preempt'], []],
  [['a', 'b', 'a'], [`${field}[2]: Duplicate value: "a"`]],
  [['no key'], [expect.stringContaining(`${field}[0]: Invalid value: "no key"`)]],
  [many, [`${field}: Too many: 21: must have at most 20 items`]],
];

test.each(cases)('owners %j', (owners, errors) => {
  const problems = nodes.validateCreate(created(nodes, owned(...owners), on));
  expect(problems.map((error) => describeFieldErrors([error]))).toEqual(errors);
});
