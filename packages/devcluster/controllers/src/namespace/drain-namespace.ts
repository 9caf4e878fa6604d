import {
  type Condition,
  type DiscoveredResource,
  errorMessage,
  type Kube,
  type KubeObject,
  pathOf,
  setCondition,
} from '@slipway/kube';
import type { Namespace } from '@slipway/kube-objects/kinds/api/core';

/** What is left of a namespace after its contents were asked to go. */
export interface Remains {
  /** How many objects of which resource are still there, by `plural.group`. */
  readonly counts: ReadonlyMap<string, number>;
  /** How many of them wait for which finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Resources that could not be deleted or listed, with what they said. */
  readonly failures: readonly string[];
}

/**
 * Asks everything in a namespace to go, resource by resource, and looks at what stays. Pods go first, and nothing else
 * while some remain: what they use, such as network policies, protects as long as they run.
 */
export async function drainNamespace(
  kube: Kube,
  namespace: string,
  resources: readonly DiscoveredResource[],
  signal: AbortSignal,
): Promise<Remains> {
  const counts = new Map<string, number>();
  const finalizers = new Map<string, number>();
  const failures: string[] = [];
  const drainEach = (some: readonly DiscoveredResource[]) => Promise.all(some.map(drain));
  const drain = async (resource: DiscoveredResource) => {
    try {
      for (const object of await drainResource(kube, namespace, resource, signal)) {
        const id = `${resource.plural}.${resource.group}`;
        counts.set(id, (counts.get(id) ?? 0) + 1);
        for (const each of object.metadata.finalizers ?? []) finalizers.set(each, (finalizers.get(each) ?? 0) + 1);
      }
    } catch (error) {
      signal.throwIfAborted();
      failures.push(`${resource.plural}.${resource.group}: ${errorMessage(error)}`);
    }
  };
  await drainEach(resources.filter(isPods));
  if (counts.size === 0) await drainEach(resources.filter((resource) => !isPods(resource)));
  return { counts, finalizers, failures: failures.sort() };
}

function isPods({ group, plural }: DiscoveredResource): boolean {
  return group === '' && plural === 'pods';
}

/** The resources whose objects live in namespaces and can be listed and deleted, each at one version. */
export function drainable(resources: readonly DiscoveredResource[]): readonly DiscoveredResource[] {
  const seen = new Set<string>();
  return resources.filter(({ namespaced, group, plural, verbs }) => {
    const id = `${plural}.${group}`;
    const isFirst = !seen.has(id);
    seen.add(id);
    return isFirst && namespaced && verbs.includes('delete') && verbs.includes('list');
  });
}

/** Conditions that say how the deletion of a namespace is getting on, in the words that kubectl users know. */
export function drainConditions(namespace: Namespace, remains: Remains, nowMs: number): Condition[] {
  const list = (counts: ReadonlyMap<string, number>, say: (name: string, count: number) => string) =>
    [...counts]
      .map(([name, count]) => say(name, count))
      .sort()
      .join(', ');
  const left = list(remains.counts, (name, count) => `${name} has ${count} resource instances`);
  const held = list(remains.finalizers, (name, count) => `${name} in ${count} resource instances`);
  const failed = remains.failures.join('; ');
  const facts = [
    [
      'NamespaceDeletionContentFailure',
      failed && [
        'ContentDeletionFailed',
        `Failed to delete all resource types, ${remains.failures.length} remaining: ${failed}`,
      ],
      ['ContentDeleted', 'All content successfully deleted, may be waiting on finalization'],
    ],
    [
      'NamespaceContentRemaining',
      left && ['SomeResourcesRemain', `Some resources are remaining: ${left}`],
      ['ContentRemoved', 'All content successfully removed'],
    ],
    [
      'NamespaceFinalizersRemaining',
      held && ['SomeFinalizersRemain', `Some content in the namespace has finalizers remaining: ${held}`],
      ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
    ],
  ] as const;
  let conditions = namespace.status?.conditions ?? [];
  for (const [type, problem, fine] of facts) {
    const [reason = '', message = ''] = problem || fine;
    conditions = setCondition(conditions, { type, status: problem ? 'True' : 'False', reason, message }, nowMs);
  }
  return conditions;
}

async function drainResource(
  kube: Kube,
  namespace: string,
  resource: DiscoveredResource,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const client = kube.resource(resource);
  const before = await client.list({ namespace, limit: 1, signal });
  if (before.items.length === 0) return [];
  if (resource.verbs.includes('deletecollection')) {
    const path = pathOf(resource, namespace);
    await kube.transport.request({ method: 'DELETE', path, body: background, signal });
  } else {
    for await (const { items } of client.pages({ namespace, signal })) {
      const refs = items.map(({ metadata: { name = '' } }) => ({ namespace, name }));
      await Promise.all(refs.map((ref) => client.delete(ref, { propagationPolicy: 'Background', signal })));
    }
  }
  const left: KubeObject[] = [];
  for await (const { items } of client.pages({ namespace, signal })) left.push(...items);
  return left;
}

const background = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' };
