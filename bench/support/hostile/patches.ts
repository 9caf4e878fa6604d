import {
  body,
  configMap,
  configMaps,
  fill,
  type HostileInput,
  many,
  most,
  ownerReference,
  withMetadata,
} from './input.js';

const mergePatch = body('application/merge-patch+json');
const jsonPatch = body('application/json-patch+json');
const strategicPatch = body('application/strategic-merge-patch+json');

const target: HostileInput = { what: 'target', body: configMap(',"data":{"a":"b"}', 'target') };
const patchOf = (headers: HostileInput['headers'], text: string): Omit<HostileInput, 'what'> => ({
  method: 'PATCH',
  path: `${configMaps}/target`,
  headers: headers ?? {},
  body: text,
  before: [target],
});
/** An object near the most that is stored, which costs a lot to look at whatever changes. */
const huge = (name: string): HostileInput => ({
  what: 'huge',
  body: configMap(`,"data":{${many(90_000, (index) => `"k${index}":"v"`)}}`, name),
});
const toHuge = (what: string, name: string, headers: HostileInput['headers'], text: string): HostileInput => ({
  what,
  method: 'PATCH',
  path: `${configMaps}/${name}?fieldManager=bench`,
  headers: headers ?? {},
  body: text,
  before: [huge(name)],
  after: [{ what: 'gone', method: 'DELETE', path: `${configMaps}/${name}` }],
});
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const deployment: HostileInput = {
  what: 'deployment',
  path: deployments,
  body: '{"metadata":{"name":"merged"},"spec":{"replicas":0,"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}',
};
const toContainers = (what: string, containers: string): HostileInput => ({
  what,
  method: 'PATCH',
  path: `${deployments}/merged`,
  headers: strategicPatch,
  body: `{"spec":{"template":{"spec":{${containers}}}}}`,
  before: [deployment],
  after: [{ what: 'gone', method: 'DELETE', path: `${deployments}/merged` }],
});

/** Changes of an object that is there. */
export const hostilePatches: readonly HostileInput[] = [
  toHuge('a small merge patch of an object of 90,000 keys', 'huge1', mergePatch, '{"metadata":{"labels":{"a":"b"}}}'),
  toHuge('a small JSON patch of an object of 90,000 keys', 'huge2', jsonPatch, '[{"op":"remove","path":"/data/k1"}]'),
  toHuge('a small strategic patch of an object of 90,000 keys', 'huge3', strategicPatch, '{"data":{"k1":"w"}}'),
  toHuge(
    'a small apply to an object of 90,000 keys',
    'huge4',
    body('application/apply-patch+yaml'),
    configMap(',"data":{"k1":"v"}', 'huge4'),
  ),
  {
    ...toHuge('a small patch of 7,000 appliers', 'huge5', mergePatch, '{"data":{"a":"b"}}'),
    before: [
      {
        what: 'appliers',
        body: withMetadata(
          `"managedFields":[${many(7_000, (index) => `{"manager":"m${index}","operation":"Apply","apiVersion":"v1","time":"2026-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:data":{"f:k${index}":{}}}}`)}]},"data":{${many(7_000, (index) => `"k${index}":"v"`)}`,
          'huge5',
        ),
      },
    ],
  },
  toContainers(
    'a strategic patch that deletes 20,000 containers',
    `"containers":[${many(20_000, (index) => `{"$patch":"delete","name":"c${index}"}`)}]`,
  ),
  toContainers(
    'a strategic patch that orders 60,000 containers',
    `"$setElementOrder/containers":[${many(60_000, (index) => `{"name":"c${index}"}`)}]`,
  ),
  toContainers(
    'a strategic patch that adds 15,000 containers',
    `"containers":[${many(15_000, (index) => `{"name":"d${index}","image":"i"}`)}]`,
  ),
  {
    what: '10,001 operations of a JSON patch',
    ...patchOf(jsonPatch, `[${many(10_001, () => '{"op":"test","path":"/kind","value":"ConfigMap"}')}]`),
  },
  {
    what: '10,000 copies that double',
    ...patchOf(
      jsonPatch,
      `[{"op":"add","path":"/data/a","value":"aaaaaaaa"},${many(9_999, (index) => `{"op":"copy","from":"/data","path":"/data/k${index}"}`)}]`,
    ),
  },
  {
    what: '10,000 insertions at the front of a list',
    ...patchOf(
      jsonPatch,
      `[{"op":"add","path":"/metadata/finalizers","value":[]},${many(9_999, (index) => `{"op":"add","path":"/metadata/finalizers/0","value":"a.b/f${index}"}`)}]`,
    ),
  },
  {
    what: 'a JSON patch with a path of 3 MiB',
    ...patchOf(jsonPatch, `[{"op":"remove","path":"${fill('/a', most - 100)}"}]`),
  },
  {
    what: 'a merge patch of 190,000 keys',
    ...patchOf(mergePatch, `{"data":{${many(190_000, (index) => `"k${index}":"v"`)}}}`),
  },
  {
    what: 'a merge patch 9,000 deep',
    ...patchOf(mergePatch, `{"data":${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}}`),
  },
  {
    what: 'a strategic patch of 30,000 owners',
    ...patchOf(strategicPatch, `{"metadata":{"ownerReferences":[${many(30_000, ownerReference)}]}}`),
  },
  {
    what: 'a strategic patch that orders 100,000 finalizers',
    ...patchOf(
      strategicPatch,
      `{"metadata":{"$setElementOrder/finalizers":[${many(100_000, (index) => `"a.b/f${index}"`)}],"finalizers":[${many(50_000, (index) => `"a.b/f${index}"`)}]}}`,
    ),
  },
  {
    what: '9,000 insertions at the front of a list of 60,000',
    ...patchOf(
      jsonPatch,
      `[${many(9_000, (index) => `{"op":"add","path":"/metadata/finalizers/0","value":"a.b/g${index}"}`)}]`,
    ),
    path: `${configMaps}/long`,
    before: [
      { what: 'long', body: withMetadata(`"finalizers":[${many(60_000, (index) => `"a.b/f${index}"`)}]`, 'long') },
    ],
  },
];
