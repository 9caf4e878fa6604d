import { Kube, type KubeObject } from '@slipway/kube';
import { inMemoryApi } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { type ProcessUse, usesByNode } from './list-uses.js';

const node = (name: string, ready: 'True' | 'False' | 'Unknown'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  status: { conditions: [{ type: 'Ready', status: ready, reason: '', message: '', lastTransitionTime: '' }] },
});

function aUse(component: string, name: string | undefined, value: ProcessUse['value']): ProcessUse {
  const use = { process: `${component}.${name}`, component, instance: name ?? 'x', version: '1.34', value };
  return { ...use, set: false, read: false, source: 'Metrics', ...(name !== undefined && { node: name }) };
}

test('usesByNode() has every node that should be heard, and what one that is away said does not count', async () => {
  const api = inMemoryApi();
  for (const one of [node('n1', 'True'), node('n2', 'Unknown'), node('n3', 'False'), node('n4', 'True')]) {
    api.seed({ group: '', plural: 'nodes' }, one);
  }
  const uses = [
    aUse('kubelet', 'n3', 'on'),
    aUse('kubelet', 'n1', 'off'),
    aUse('kubelet', 'n2', 'off'),
    aUse('kube-proxy', 'n1', 'on'),
    aUse('kube-apiserver', undefined, 'on'),
  ];
  const components = [
    { name: 'kubelet', roster: 'Nodes' },
    { name: 'kube-apiserver', roster: 'APIServers' },
  ] as const;
  const all = await usesByNode(new Kube(api), uses, { gate: 'Widgets', components });
  expect(all.map(({ node: where, component, value }) => `${where} ${component} ${value}`)).toEqual([
    'n1 kube-proxy on',
    'n1 kubelet off',
    'n2 kubelet silent',
    'n3 kubelet on',
    'n4 kubelet silent',
  ]);
});

test('usesByNode() has a kubelet without a report on if its node declares the gate, unless the node is away', async () => {
  const api = inMemoryApi();
  for (const one of [node('n1', 'True'), node('n2', 'Unknown'), node('n3', 'True')]) {
    const declaredFeatures = one.metadata.name === 'n3' ? ['Other'] : ['Widgets'];
    api.seed({ group: '', plural: 'nodes' }, { ...one, status: { ...one.status, declaredFeatures } });
  }
  const components = ['kubelet', 'kube-proxy'].map((name) => ({ name, roster: 'Nodes' as const }));
  const all = await usesByNode(new Kube(api), [aUse('kube-proxy', 'n3', 'off')], { gate: 'Widgets', components });
  expect(all.map(({ node: where, component, value, source }) => `${where} ${component} ${value} ${source}`)).toEqual([
    'n1 kube-proxy silent ',
    'n1 kubelet on Declared',
    'n2 kube-proxy silent ',
    'n2 kubelet silent ',
    'n3 kube-proxy off Metrics',
    'n3 kubelet silent ',
  ]);
});
