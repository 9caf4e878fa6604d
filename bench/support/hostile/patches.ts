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
/** Changes of an object that is there. */
export const hostilePatches: readonly HostileInput[] = [
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
