import { type Cluster, startCluster } from '@slipway/devcluster';
import { type Feature, guardsOf, type Reference } from '@slipway/features';
import {
  customResourceDefinition,
  installDefinitions,
  type Kube,
  type KubeObject,
  StatusError,
  silentLog,
} from '@slipway/kube';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fits } from '../packages/features/src/references/match.js';
import { fieldOf, usesOf } from '../packages/features/src/references/used-field.js';

// A guard is CEL, and the scan is TypeScript: both must mean the same by a use.

let cluster: Cluster;
let kube: Kube;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 0, log: silentLog });
  kube = cluster.kube();
  await installDefinitions(kube, [crd]);
});
afterAll(() => cluster.stop());

const things = { group: 'acme.io', version: 'v1', kind: 'Thing', plural: 'things', namespaced: true };
const anything = { 'x-kubernetes-preserve-unknown-fields': true };
const leaf = { a: anything, b: anything };
const item = { type: 'object', properties: { name: { type: 'string' }, ...leaf } };
const map = { type: 'object', properties: leaf };
const crd = customResourceDefinition({
  resource: things,
  spec: { type: 'object', properties: { ...leaf, map, list: { type: 'array', items: item } } },
});

const value = fc.constantFrom(0, 1, 1.5, true, false, '', 'x', { c: 1 }, [1], {});
const some = (shape: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(shape, { requiredKeys: [], noNullPrototype: true });
const leaves = { a: value, b: value };
const thing = some({
  ...leaves,
  map: some(leaves),
  list: fc.array(some({ name: fc.constantFrom('x', 'y'), ...leaves }), { maxLength: 3 }),
});
const paths = [
  'spec.a',
  'spec.map',
  'spec.map.a',
  'spec.list',
  'spec.list[*]',
  'spec.list[*].a',
  'spec.list[name=x]',
  'spec.list[name=x].a',
];
const requirement = fc.oneof(
  fc.record({ path: fc.constantFrom(...paths), operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const) }),
  fc.record({
    path: fc.constantFrom('spec.list[*].name', 'metadata.labels["tier"]'),
    operator: fc.constantFrom('In' as const, 'NotIn' as const),
    values: fc.constant(['x', 'gold']),
  }),
);
const reference: fc.Arbitrary<Reference> = fc
  .record({
    path: fc.constantFrom(...paths),
    default: fc.option(value, { nil: undefined }),
    match: fc.array(requirement, { maxLength: 2 }),
  })
  .map(({ path, default: defaultValue, match }) => ({
    group: 'acme.io',
    resource: 'things',
    path,
    ...(defaultValue !== undefined && { default: defaultValue }),
    ...(match.length > 0 && { match }),
  }));

const aThing = (spec: unknown, tier: string): KubeObject => ({
  apiVersion: 'acme.io/v1',
  kind: 'Thing',
  metadata: { name: 'new', namespace: 'default', labels: { tier } },
  spec,
});

test('a new object is denied by the guard exactly if the scan counts it as a use', async () => {
  const objects = fc.array(fc.tuple(thing, fc.constantFrom('gold', 'tin')), { minLength: 4, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(reference, objects, async (about, specs) => {
      const all = specs.map(([spec, tier]) => aThing(spec, tier));
      const remove = await guarded(about);
      const denied = await Promise.all(all.map((object) => isDenied(object)));
      await remove();
      expect(all.filter((_object, index) => denied[index])).toEqual(all.filter((object) => isUse(about, object)));
    }),
    { numRuns: 100 },
  );
}, 120_000);

function isUse(about: Reference, object: KubeObject): boolean {
  const field = fieldOf(about);
  return fits(about.match, object) && field !== undefined && usesOf(field, object).length > 0;
}

async function isDenied(object: KubeObject): Promise<boolean> {
  try {
    await kube.resource(things).create(object, { dryRun: true });
    return false;
  } catch (error) {
    if (error instanceof StatusError && error.message.includes('ValidatingAdmissionPolicy')) {
      expect(error.message).toContain('may not be set while');
      return true;
    }
    throw error;
  }
}

/** Puts the guard of a reference into force. Resolves with what removes it. */
async function guarded(about: Reference): Promise<() => Promise<void>> {
  const feature: Feature = {
    apiVersion: 'features.slipway.dev/v1alpha1',
    kind: 'Feature',
    metadata: { name: 'things', namespace: 'default' },
    spec: { gate: 'Things' },
  };
  const definition = { gate: 'Things', components: [], references: [about] };
  const [guard] = guardsOf(feature, definition, { validating: true }).guards;
  if (!guard) throw new Error('no guard');
  const { policyKind, policy, bindingKind, binding } = guard;
  await kube.resource(policyKind).create(policy);
  await kube.resource(bindingKind).create(binding);
  const ref = { name: policy.metadata.name ?? '' };
  return async () => {
    await kube.resource(bindingKind).delete(ref);
    await kube.resource(policyKind).delete(ref);
  };
}
