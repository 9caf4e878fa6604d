import { scaledClock } from '@slipway/devcluster';
import { aCluster } from '@slipway/devcluster/testing/a-cluster';
import {
  hasReason,
  type Kube,
  type ObjectMeta,
  type OwnerReference,
  type ResourceClient,
  removeFinalizer,
} from '@slipway/kube';
import { type ConfigMap, configMaps, namespaces } from '@slipway/kube-objects/kinds/api/core';
import { until } from '@slipway/kube-objects/testing/until';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const held = 'example.com/hold';

/** An object of a random graph. Owners are numbers of objects, its own included; above the last one: missing. */
interface Drawn {
  readonly owners: readonly { readonly of: number; readonly blocks: boolean }[];
  readonly isHeld: boolean;
  readonly deleted?: 'Foreground' | 'Background' | undefined;
}

const size = 6;
const drawn: fc.Arbitrary<Drawn> = fc.record({
  owners: fc.uniqueArray(fc.record({ of: fc.nat(size), blocks: fc.boolean() }), {
    maxLength: 3,
    selector: ({ of }) => of,
  }),
  isHeld: fc.boolean(),
  deleted: fc.constantFrom('Foreground' as const, 'Background' as const, undefined),
});
const graphs = fc.array(drawn, { minLength: 1, maxLength: size });
const loop = (count: number): Drawn[] =>
  Array.from({ length: count }, (_, index) => ({
    owners: [{ of: (index + 1) % count, blocks: true }],
    isHeld: false,
    deleted: 'Foreground',
  }));

test('any graph of owners, deleted in any way: what has no owner left is deleted, all else stays', async () => {
  await using cluster = await aCluster({ nodes: 0, clock: scaledClock(100) });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(graphs, async (graph) => {
      const namespace = `graph-${run++}`;
      const maps = await build(cluster.kube, namespace, graph);
      for (const [index, { deleted }] of graph.entries()) {
        if (deleted) await orDeleted(maps.delete(at(namespace, index), { propagationPolicy: deleted }));
      }
      const expected = left(graph);
      await until(`all but ${expected} to be deleted`, async () => {
        const items = (await maps.list({ namespace })).items.filter(isOurs);
        for (const { metadata } of items) if (metadata.deletionTimestamp) await release(maps, metadata);
        return items.length === expected.length;
      });
      const names = (await maps.list({ namespace })).items.filter(isOurs).map(({ metadata }) => metadata.name);
      expect(names.sort()).toEqual(expected);
    }),
    { numRuns: 40, examples: [[loop(1)], [loop(2)], [loop(5)], [loop(2).map((each) => ({ ...each, isHeld: true }))]] },
  );
});

const isOurs = ({ metadata }: ConfigMap) => metadata.name !== 'kube-root-ca.crt';
const at = (namespace: string, index: number) => ({ namespace, name: `m${index}` });

async function build(kube: Kube, namespace: string, graph: readonly Drawn[]) {
  await kube.resource(namespaces).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const maps = kube.resource(configMaps);
  const uids = await Promise.all(
    graph.map(async ({ isHeld }, index) => {
      const metadata = { ...at(namespace, index), ...(isHeld && { finalizers: [held] }) };
      return (await maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata })).metadata.uid ?? '';
    }),
  );
  for (const [index, { owners }] of graph.entries()) {
    const ownerReferences = owners.map(({ of, blocks }): OwnerReference => {
      const uid = uids[of] ?? 'missing';
      return { apiVersion: 'v1', kind: 'ConfigMap', name: `m${of}`, uid, blockOwnerDeletion: blocks };
    });
    await orDeleted(maps.merge(at(namespace, index), { metadata: { ownerReferences } }));
  }
  return maps;
}

const release = (maps: ResourceClient<ConfigMap>, { namespace, name = '' }: ObjectMeta) =>
  orDeleted(maps.mutate({ namespace, name }, (draft) => removeFinalizer(draft, held)));

/** An object whose owners are all missing may be deleted at any moment. */
async function orDeleted(written: Promise<unknown>): Promise<void> {
  await written.catch((error: unknown) => {
    if (!hasReason(error, 'NotFound')) throw error;
  });
}

/** Names of the objects that stay: not deleted, and without owners or with one that stays. */
function left(graph: readonly Drawn[]): readonly string[] {
  const gone = new Set(graph.flatMap(({ deleted }, index) => (deleted ? [index] : [])));
  for (let before = -1; before < gone.size; ) {
    before = gone.size;
    for (const [index, { owners }] of graph.entries()) {
      if (owners.length > 0 && owners.every(({ of }) => of >= graph.length || gone.has(of))) gone.add(index);
    }
  }
  return graph.flatMap((_, index) => (gone.has(index) ? [] : [`m${index}`]));
}
