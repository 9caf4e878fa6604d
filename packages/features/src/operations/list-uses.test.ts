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
  const all = await usesByNode(new Kube(api), uses, { components });
  expect(all.map(({ node: where, component, value }) => `${where} ${component} ${value}`)).toEqual([
    'n1 kube-proxy on',
    'n1 kubelet off',
    'n2 kubelet silent',
    'n3 kubelet on',
    'n4 kubelet silent',
  ]);
});
