import { expect, test } from 'vitest';
import type { Transport } from '../transport/transport.js';
import { Kube } from './client.js';

const verbs = ['get', 'list'];

const aggregated: Record<string, unknown> = {
  '/api': {
    kind: 'APIGroupDiscoveryList',
    items: [
      {
        metadata: {},
        versions: [
          {
            version: 'v1',
            resources: [
              {
                resource: 'pods',
                responseKind: { group: '', version: 'v1', kind: 'Pod' },
                scope: 'Namespaced',
                singularResource: 'pod',
                verbs,
                shortNames: ['po'],
                categories: ['all'],
                subresources: [
                  { subresource: 'status', responseKind: { group: '', version: 'v1', kind: 'Pod' }, verbs },
                ],
              },
              {
                resource: 'events',
                responseKind: { kind: 'Event' },
                scope: 'Namespaced',
                singularResource: 'event',
                verbs,
              },
            ],
          },
        ],
      },
    ],
  },
  '/apis': {
    kind: 'APIGroupDiscoveryList',
    items: [
      {
        metadata: { name: 'events.k8s.io' },
        versions: [
          {
            version: 'v1',
            resources: [
              {
                resource: 'events',
                responseKind: { kind: 'Event' },
                scope: 'Namespaced',
                singularResource: 'event',
                verbs,
              },
            ],
          },
        ],
      },
    ],
  },
};

const legacy: Record<string, unknown> = {
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': {
    kind: 'APIGroupList',
    groups: [{ name: 'events.k8s.io', versions: [{ groupVersion: 'events.k8s.io/v1', version: 'v1' }] }],
  },
  '/api/v1': {
    kind: 'APIResourceList',
    resources: [
      {
        name: 'pods',
        singularName: 'pod',
        namespaced: true,
        kind: 'Pod',
        verbs,
        shortNames: ['po'],
        categories: ['all'],
      },
      { name: 'pods/status', singularName: '', namespaced: true, kind: 'Pod', verbs },
      { name: 'events', singularName: 'event', namespaced: true, kind: 'Event', verbs },
    ],
  },
  '/apis/events.k8s.io/v1': {
    kind: 'APIResourceList',
    resources: [{ name: 'events', singularName: 'event', namespaced: true, kind: 'Event', verbs }],
  },
};

function answering(documents: Record<string, unknown>): Kube {
  const transport: Transport = {
    request: async ({ path }) => ({ status: 200, headers: {}, body: documents[path] }),
    stream: () => {
      throw new Error('watch is not supported here');
    },
  };
  return new Kube(transport);
}

test.each([
  ['aggregated documents', aggregated],
  ['a document for each version', legacy],
])('Kube.discover() finds resources from %s', async (_, documents) => {
  const discovery = await answering(documents).discover();
  const pods = {
    group: '',
    version: 'v1',
    kind: 'Pod',
    plural: 'pods',
    namespaced: true,
    singular: 'pod',
    shortNames: ['po'],
    categories: ['all'],
    verbs,
    subresources: ['status'],
  };
  for (const what of ['pods', 'pod', 'PO', 'Pods', 'pods.v1', { group: '', kind: 'Pod' }]) {
    expect(discovery.find(what)).toEqual(pods);
  }
  for (const what of [
    'events.events.k8s.io',
    'event.v1.events.k8s.io',
    { group: 'events.k8s.io', version: 'v1', kind: 'Event' },
  ]) {
    expect(discovery.find(what)?.group).toBe('events.k8s.io');
  }
  expect(discovery.find('events')?.group).toBe('');
  for (const what of ['pods.apps', 'nosuch', { group: '', version: 'v2', kind: 'Pod' }]) {
    expect(discovery.find(what)).toBeUndefined();
  }
});
