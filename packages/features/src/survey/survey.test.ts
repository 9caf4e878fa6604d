import { type Access, Kube, type KubeObject, type KubeRequest } from '@slipway/kube';
import { inMemoryApi, ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import type { ComponentPage } from '../adapters/component-page.js';
import { PageError } from '../adapters/fetch-page.js';
import { surveyCluster } from './survey-cluster.js';

const slice: KubeObject = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: 'kubernetes', namespace: 'default', labels: { 'kubernetes.io/service-name': 'kubernetes' } },
  endpoints: ['10.0.0.1', '10.0.0.2'].map((address) => ({ addresses: [address], conditions: { ready: true } })),
  ports: [{ name: 'https', port: 6443, protocol: 'TCP' }],
};
const mirrorPod = (component: string, ...command: string[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `${component}-a`, namespace: 'kube-system', labels: { tier: 'control-plane', component } },
  spec: { containers: [{ command: [component, ...command] }] },
});
const node = (name: string, ...declaredFeatures: string[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  status: { declaredFeatures },
});
const page = (enabled: boolean): ComponentPage => ({ gates: [{ name: 'ImageVolume', enabled, stage: 'Beta' }] });

type Pages = Readonly<Record<string, ComponentPage | number | 'never'>>;

/** `pages` by address; a number is the status of an error. */
function survey(pages: Pages, objects: readonly KubeObject[], forbidden: readonly string[] = []) {
  const clock = new ManualClock();
  const api = inMemoryApi({ clock });
  const plurals: Record<string, [string, string]> = {
    Pod: ['', 'pods'],
    Node: ['', 'nodes'],
    EndpointSlice: ['discovery.k8s.io', 'endpointslices'],
  };
  for (const object of objects) {
    const [group = '', plural = ''] = plurals[object.kind] ?? [];
    api.seed({ group, plural }, object);
  }
  const kube = new Kube(
    {
      stream: api.stream.bind(api),
      async request(request: KubeRequest) {
        const isForbidden = forbidden.some((plural) => request.path.includes(`/${plural}`));
        if (isForbidden) return { status: 403, headers: {}, body: { kind: 'Status', code: 403, reason: 'Forbidden' } };
        return api.request(request);
      },
    },
    { clock },
  );
  const access: Access = { server: 'https://shared', credentials: async () => ({}) } as Access;
  const readPage = async ({ server }: Access, signal: AbortSignal) => {
    const found = pages[server] ?? 'never';
    if (found === 'never') {
      const gaveUp = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      await clock.advance(3_000);
      await gaveUp;
      throw signal.reason;
    }
    if (typeof found === 'number') throw new PageError('no', found);
    return found;
  };
  return surveyCluster({ kube, access, signal: new AbortController().signal, readPage });
}

const everything = [
  slice,
  mirrorPod('kube-apiserver', '--feature-gates=ImageVolume=true'),
  mirrorPod('kube-scheduler', '--feature-gates', 'ImageVolume=false,Other=true', '--config=/etc/s.yaml'),
  node('n1', 'Declared'),
  node('n2'),
];

test('surveyCluster() reads every API server, the flags of the control plane, and what nodes declare', async () => {
  const pages = { 'https://10.0.0.1:6443': page(true), 'https://10.0.0.2:6443': page(false) };
  expect(await survey(pages, everything)).toEqual({
    gates: [
      { gate: 'Declared', stage: '', components: [{ component: 'kubelet', on: 1, off: 0, set: 0 }] },
      {
        gate: 'ImageVolume',
        stage: 'Beta',
        components: [
          { component: 'kube-apiserver', on: 1, off: 1, set: 1 },
          { component: 'kube-scheduler', on: 0, off: 1, set: 1 },
        ],
      },
      { gate: 'Other', stage: '', components: [{ component: 'kube-scheduler', on: 1, off: 0, set: 1 }] },
    ],
    unseen: [
      'kube-controller-manager: hidden; no pod of it can be seen',
      'kube-scheduler: only what its flags set, and no file it is configured by',
      'kubelet, kube-proxy: only what it declares, which 1 do not, of 2 nodes; their pages are on their nodes',
    ],
  });
});

// pages | forbidden | what is said of API servers | of the rest
test.each<[string, Pages, readonly string[], readonly string[], number]>([
  [
    'one of two answers',
    { 'https://10.0.0.1:6443': page(true) },
    [],
    ['kube-apiserver: 1 of 2 cannot be reached from here'],
    1,
  ],
  [
    'only the shared address answers',
    { 'https://shared': page(true) },
    [],
    ['kube-apiserver: only one of 2 was read, through the shared address'],
    1,
  ],
  [
    'a user who may only view',
    { 'https://shared': 403, 'https://10.0.0.1:6443': 403, 'https://10.0.0.2:6443': 403 },
    ['nodes'],
    [
      'kube-apiserver: its metrics may not be read; the group system:monitoring may',
      'kubelet: nodes may not be listed',
    ],
    0,
  ],
  [
    'a user who may do nothing',
    { 'https://shared': 403 },
    ['nodes', 'pods', 'endpointslices'],
    [
      'kube-apiserver: its metrics may not be read; the group system:monitoring may',
      'flags of the control plane: pods may not be listed',
      'kubelet: nodes may not be listed',
    ],
    0,
  ],
])('surveyCluster() says what it could not see: %s', async (_what, pages, forbidden, said, servers) => {
  const { gates, unseen } = await survey(pages, everything, forbidden);
  for (const sentence of said) expect(unseen).toContain(sentence);
  const image = gates.find(({ gate }) => gate === 'ImageVolume');
  const server = image?.components.find(({ component }) => component === 'kube-apiserver');
  // Without a page the flag is all that tells of it, where it may be seen.
  const byFlag = servers === 0 && !forbidden.includes('pods') ? 1 : 0;
  expect((server?.on ?? 0) + (server?.off ?? 0)).toBe(servers + byFlag);
});
