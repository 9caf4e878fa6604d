import type { AdmissionReader } from '@slipway/api-server/attributes/admission';
import type { KubeObject } from '@slipway/kube';
import { expect, test } from 'vitest';
import { pods } from '../kinds/pod.js';
import { useServiceAccount } from './service-account.js';
import { aWrite } from './testing/a-write.js';

const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';

/** What becomes of a pod in a namespace with one account, `worker`. */
function admitted(spec: object, account: object = {}, annotations: Record<string, string> = {}): KubeObject['spec'] {
  const worker = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'worker', namespace: 'a' }, ...account };
  const reader = {
    latest: (resource: string, namespace: string, name: string) =>
      `${resource} ${namespace} ${name}` === 'serviceaccounts a worker' ? { object: worker } : undefined,
  } as unknown as AdmissionReader;
  const object: KubeObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'a', annotations },
    spec: structuredClone({ containers: [{ name: 'main' }], ...spec }),
  };
  useServiceAccount(() => 'zzzzz')(aWrite({ resource: pods, object }), reader);
  return object.spec;
}

test('useServiceAccount() mounts token, certificate and namespace into every container', () => {
  const spec = admitted({ serviceAccountName: 'worker', initContainers: [{ name: 'first' }] });
  const mount = { name: 'kube-api-access-zzzzz', readOnly: true, mountPath };
  expect(spec).toEqual({
    serviceAccountName: 'worker',
    serviceAccount: 'worker',
    initContainers: [{ name: 'first', volumeMounts: [mount] }],
    containers: [{ name: 'main', volumeMounts: [mount] }],
    volumes: [
      {
        name: 'kube-api-access-zzzzz',
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            {
              downwardAPI: {
                items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
              },
            },
          ],
        },
      },
    ],
  });
  expect(admitted(spec)).toEqual(spec);
});

const own = { name: 'main', volumeMounts: [{ name: 'mine', mountPath }] };
// what | pod | account | names of its volumes
const cases: [string, object, object, string[]][] = [
  ['a pod that wants no token', { automountServiceAccountToken: false }, {}, []],
  ['an account that gives none', {}, { automountServiceAccountToken: false }, []],
  [
    'a pod that wants one though its account gives none',
    { automountServiceAccountToken: true },
    { automountServiceAccountToken: false },
    ['kube-api-access-zzzzz'],
  ],
  ['a pod with its own at that place', { containers: [own], volumes: [{ name: 'mine' }] }, {}, ['mine']],
  [
    'two containers, one with its own at that place',
    { containers: [own, { name: 'other' }], volumes: [{ name: 'mine' }] },
    {},
    ['mine', 'kube-api-access-zzzzz'],
  ],
  ['a pod that was copied', { volumes: [{ name: 'kube-api-access-abcde' }] }, {}, ['kube-api-access-abcde']],
];
test.each(cases)('useServiceAccount() with %s', (_, spec, account, volumes) => {
  const { volumes: got = [] } = admitted({ serviceAccountName: 'worker', ...spec }, account);
  expect(got.map(({ name }: { name: string }) => name)).toEqual(volumes);
});

test('useServiceAccount() hands on the pull secrets of the account to a pod without its own', () => {
  const account = { imagePullSecrets: [{ name: 'registry' }] };
  const secrets = (spec: object) => admitted({ serviceAccountName: 'worker', ...spec }, account).imagePullSecrets;
  expect(secrets({})).toEqual([{ name: 'registry' }]);
  expect(secrets({ imagePullSecrets: [{ name: 'own' }] })).toEqual([{ name: 'own' }]);
});

test('useServiceAccount() wants accounts to be there, and leaves mirror pods as they are', () => {
  const mirror = { 'kubernetes.io/config.mirror': 'x' };
  expect(admitted({}, {}, mirror)).toEqual({ containers: [{ name: 'main' }] });
  expect(() => admitted({ serviceAccountName: 'worker' }, {}, mirror)).toThrow(
    'pods "p" is forbidden: a mirror pod may not reference service accounts',
  );
  expect(() => admitted({ serviceAccountName: 'who' })).toThrow(
    'pods "p" is forbidden: error looking up service account a/who: serviceaccount "who" not found',
  );
});
