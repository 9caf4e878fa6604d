import {
  configMap,
  configMaps,
  fill,
  type HostileInput,
  many,
  mebibyte,
  most,
  ownerReference,
  withMetadata,
} from './input.js';

const secrets = '/api/v1/namespaces/default/secrets';
const pods = '/api/v1/namespaces/default/pods';
const clusterRoles = '/apis/rbac.authorization.k8s.io/v1/clusterroles';

/** Objects of built-in kinds, and their metadata. */
export const hostileObjects: readonly HostileInput[] = [
  { what: '35,000 owner references', body: withMetadata(`"ownerReferences":[${many(35_000, ownerReference)}]`) },
  { what: '100,000 labels', body: withMetadata(`"labels":{${many(100_000, (index) => `"k${index}":"v"`)}}`) },
  { what: '100,000 wrong labels', body: withMetadata(`"labels":{${many(100_000, (index) => `"-k${index}":"v v"`)}}`) },
  { what: '100,000 annotations', body: withMetadata(`"annotations":{${many(100_000, (index) => `"k${index}":"v"`)}}`) },
  { what: '200,000 finalizers', body: withMetadata(`"finalizers":[${many(200_000, (index) => `"f${index}"`)}]`) },
  { what: 'a name of 3 MiB', body: withMetadata(`"x":1`, 'a'.repeat(most - 200)) },
  {
    what: '10,000 owner references that all want to control',
    body: withMetadata(
      `"ownerReferences":[${many(10_000, (index) => ownerReference(index).replace('}', ',"controller":true}'))}]`,
    ),
  },
  {
    what: '200,000 rules without verbs',
    path: clusterRoles,
    body: `{"metadata":{"name":"x"},"rules":[${many(200_000, () => '{}')}]}`,
  },
  {
    what: '100,000 containers',
    path: pods,
    body: `{"metadata":{"name":"x"},"spec":{"containers":[${many(100_000, () => '{"name":"c","image":"i"}')}]}}`,
  },
  {
    what: '100,000 variables of a container',
    path: pods,
    body: `{"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"i","env":[${many(100_000, (index) => `{"name":"A${index}","value":""}`)}]}]}}`,
  },
  {
    what: '100,000 tolerations',
    path: pods,
    body: `{"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"i"}],"tolerations":[${many(60_000, (index) => `{"key":"k${index}","operator":"Exists"}`)}]}}`,
  },
  {
    what: 'a pod with affinity for 40,000 labels',
    path: pods,
    body: `{"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"i"}],"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[${many(40_000, (index) => `{"matchExpressions":[{"key":"k${index}","operator":"Exists"}]}`)}]}}}}}`,
  },
  {
    what: 'a selector of 1 MiB',
    path: '/apis/apps/v1/namespaces/default/deployments',
    body: `{"metadata":{"name":"x"},"spec":{"selector":{"matchLabels":{${many(60_000, (index) => `"k${index}":"v"`)}}},"template":{"metadata":{"labels":{${many(60_000, (index) => `"k${index}":"v"`)}}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`,
  },
  {
    what: 'a quantity of 1 MiB',
    path: pods,
    body: `{"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"${'9'.repeat(mebibyte)}"}}}]}}`,
  },
  {
    what: 'a quantity with an exponent of a billion',
    path: pods,
    body: '{"metadata":{"name":"x"},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1e1000000000"}}}]}}',
  },
  {
    what: 'a cron schedule of 1 MiB',
    path: '/apis/batch/v1/namespaces/default/cronjobs',
    body: `{"metadata":{"name":"x"},"spec":{"schedule":"${fill('1,', mebibyte)}1 * * * *","jobTemplate":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}}}}}`,
  },
  {
    what: 'a config map of 1.4 MiB, then read as a table',
    method: 'GET',
    path: configMaps,
    headers: { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
    before: [{ what: 'big', body: configMap(`,"data":{${many(90_000, (index) => `"k${index}":"v"`)}}`, 'big') }],
  },
  {
    what: 'a secret of 90,000 keys',
    path: secrets,
    body: secretOf(90_000),
  },
  {
    what: 'a small merge patch of a secret of 90,000 keys',
    method: 'PATCH',
    path: `${secrets}/big`,
    headers: { 'content-type': 'application/merge-patch+json' },
    body: '{"data":{"k1":"eA=="}}',
    before: [{ what: 'big', path: secrets, body: secretOf(90_000) }],
  },
  {
    what: 'a list of 12 secrets of 90,000 keys each',
    method: 'GET',
    path: secrets,
    before: Array.from({ length: 12 }, (_, at) => ({
      what: 'big',
      path: secrets,
      body: secretOf(90_000, `big-${at}`),
    })),
  },
];

function secretOf(keys: number, name = 'big'): string {
  const data = many(keys, (index) => `"k${index}":"dg=="`);
  return `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"${name}"},"data":{${data}}}`;
}
