import { expect, test } from 'vitest';
import { builtInDefinitions } from '../catalogue/built-in-definitions.js';
import { explainGate } from './explain-gate.js';
import { kubernetesGates } from './gate-catalogue.js';

const known = { catalogue: kubernetesGates, definitions: builtInDefinitions() };

test('explainGate() joins releases and definition, whatever case was typed', () => {
  expect(explainGate('imagevolume', known)).toMatchObject({
    gate: 'ImageVolume',
    keps: [4639],
    components: ['kube-apiserver', 'kubelet'],
    disable: 'Unsupported',
    references: expect.arrayContaining([expect.objectContaining({ resource: 'pods' })]),
  });
});

test('explainGate() names what depends on a gate, and leaves out what is unknown', () => {
  const explained = explainGate('ClusterTrustBundle', known);
  expect(explained?.neededBy).toContain('ClusterTrustBundleProjection');
  expect(explained).not.toHaveProperty('offTasks');
  expect(explainGate('NoSuchGate', known)).toBeUndefined();
});

test.each(builtInDefinitions().map(({ object }) => object.spec))(
  'the definition of $gate and the releases tell the same history',
  ({ gate, stages = [] }) => {
    const released = kubernetesGates.gates.get(gate)?.stages;
    if (released) expect(stages).toEqual(released.slice(0, stages.length));
  },
);
