import { type Access, Kube, type KubeObject, silentLog } from '@slipway/kube';
import { inMemoryApi } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { type LocalComponentsOptions, localComponents } from './local-components.js';

const signal = new AbortController().signal;
const access: Access = {
  server: 'https://10.0.0.1:6443',
  credentials: async () => ({ ca: 'of the API server', headers: { authorization: 'Bearer mine' } }),
};

function aNode(port?: number): KubeObject {
  const status = port === undefined ? {} : { daemonEndpoints: { kubeletEndpoint: { Port: port } } };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name: 'cp-1' }, status };
}

function options(more: Partial<LocalComponentsOptions> = {}): LocalComponentsOptions {
  return { kube: new Kube(inMemoryApi()), access, node: 'cp-1', object: aNode(1), signal, log: silentLog, ...more };
}

const where = async (more?: Partial<LocalComponentsOptions>) =>
  Object.fromEntries((await localComponents(options(more))).map((one) => [one.component, one.access.server]));

test('localComponents() looks where Kubernetes has its components listen, and for the kubelet where its Node says', async () => {
  expect(await where()).toEqual({
    kubelet: 'https://127.0.0.1:1',
    'kube-proxy': 'http://127.0.0.1:10249',
    'kube-scheduler': 'https://127.0.0.1:10259',
    'kube-controller-manager': 'https://127.0.0.1:10257',
  });
  expect(await where({ ports: { kubelet: 2, 'kube-scheduler': 3 }, pullsSocket: '/run/pulls.admin' })).toMatchObject({
    kubelet: 'https://127.0.0.1:2',
    'kube-scheduler': 'https://127.0.0.1:3',
    'slipway-pulls': 'unix:/run/pulls.admin',
  });
});

test('components see the token of the agent, and their certificates are checked where there is an authority', async () => {
  const kubelet = async (more?: Partial<LocalComponentsOptions>) =>
    (await localComponents(options(more)))[0]?.access.credentials();
  expect(await kubelet()).toEqual({ headers: { authorization: 'Bearer mine' }, insecure: true });
  expect(await kubelet({ componentAuthority: 'theirs' })).toEqual({
    headers: { authorization: 'Bearer mine' },
    ca: 'theirs',
  });
  const proxy = (await localComponents(options())).find(({ component }) => component === 'kube-proxy');
  expect(await proxy?.access.credentials()).toEqual({});
});

test('gates of a component without /flagz are read from its static pod, and left open for a systemd unit, which has none', async () => {
  const api = inMemoryApi();
  const command = ['kube-scheduler', '--feature-gates=A=true', '--v=2'];
  const metadata = { name: 'kube-scheduler-cp-1', namespace: 'kube-system' };
  api.seed(
    { group: '', plural: 'pods' },
    { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [{ name: 'it', command }] } },
  );
  const kube = new Kube(api);
  const setBy = async (component: string) => {
    const ports = { 'kube-scheduler': 1, 'kube-controller-manager': 1 };
    const found = (await localComponents(options({ kube, ports }))).find((one) => one.component === component);
    return found?.setGates?.({ clock: kube.clock, signal });
  };
  expect(await setBy('kube-scheduler')).toEqual(new Map([['A', true]]));
  expect(await setBy('kube-controller-manager')).toBeUndefined();
});
