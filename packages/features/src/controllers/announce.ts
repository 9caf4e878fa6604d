import { vectorName } from '@slipway/feature-gates';
import {
  type EventRecorder,
  findCondition,
  hasReason,
  type Kube,
  type Lister,
  type Reconciler,
  setCondition,
} from '@slipway/kube';
import { Feature } from '../api/feature.js';
import { FeatureDefinition } from '../api/feature-definition.js';
import type { FeatureVector } from '../api/feature-vector.js';
import { apiVersion, labels, serverManager } from '../api/group.js';
import { featureName } from '../api/names.js';
import { nameIsGate } from '../api/rules.js';
import { checkDefinition } from '../catalogue/check-definition.js';
import type { TaskCatalog } from '../catalogue/task-catalog.js';
import type { Leadership } from '../leadership/leadership.js';
import { isStillKnown } from '../leadership/still-known.js';
import type { OwnAuthor } from '../rbac/own-author.js';

export interface AnnounceDeps {
  readonly kube: Kube;
  readonly leadership: Pick<Leadership, 'leads' | 'knowsAll'>;
  readonly features: Lister<Feature>;
  readonly definitions: Lister<FeatureDefinition>;
  readonly vectors: Pick<Lister<FeatureVector>, 'get'>;
  /** Features of a namespace that are announced only because a process reports their gate. */
  readonly maxAnnounced: (namespace: string) => number;
  readonly tasks: TaskCatalog;
  /** Definitions that are about to be written, as `namespace/name`: their gates wait for them, so that no Feature is undeclared at first. */
  readonly shipped: ReadonlySet<string>;
  /** The user that this server is, as the author of what it writes. */
  readonly self: OwnAuthor;
}

/** Makes a Feature for every gate of a vector: whatever some process reports can be seen. */
export function announceReported(deps: AnnounceDeps): Reconciler {
  return async (ref, { signal, events }) => {
    const { namespace = '' } = ref;
    const vector = deps.vectors.get(ref);
    if (vector && vectorName(vector.spec) !== ref.name) {
      const message = 'it is not what its name says, so that nothing is counted by it: delete it';
      if (deps.leadership.leads(ref)) events.event(vector, 'Warning', 'BadVector', message);
      return;
    }
    let room = roomFor(deps, namespace);
    for (const { name: gate } of vector?.spec.gates ?? []) {
      const name = featureName(gate) ?? '';
      if (deps.features.get({ name, namespace }) === undefined && room-- <= 0) continue;
      const isAwaited = deps.shipped.has(`${namespace}/${name}`) && !deps.definitions.get({ name, namespace });
      if (!isAwaited) await announce(deps, namespace, gate, events, signal);
    }
  };
}

/** Maximum number of undeclared Features in a namespace: reporters there name them. */
function roomFor({ features, maxAnnounced }: AnnounceDeps, namespace: string): number {
  const discovered = features.list({ namespace }).filter(({ metadata }) => metadata.labels?.[labels.discovered]);
  return maxAnnounced(namespace) - discovered.length;
}

/** Makes a Feature for every definition, and says whether the definition can be carried out. */
export function announceDefined(deps: AnnounceDeps): Reconciler {
  const { kube, leadership, definitions, tasks } = deps;
  return async (ref, { signal, events, now }) => {
    const definition = definitions.get(ref);
    if (!definition || definition.metadata.deletionTimestamp || !leadership.leads(ref)) return;
    const problems = [
      ...(nameIsGate.holds(definition) ? [] : [nameIsGate.message]),
      ...checkDefinition(definition.spec, tasks, ref.namespace),
    ];
    const before = definition.status?.conditions;
    const accepted = {
      type: 'Accepted',
      status: problems.length === 0 ? ('True' as const) : ('False' as const),
      reason: problems.length === 0 ? 'Valid' : 'Definition',
      message: problems.length === 0 ? 'the definition can be carried out' : problems.join('; '),
      ...(definition.metadata.generation !== undefined && { observedGeneration: definition.metadata.generation }),
    };
    // The others are of whoever wrote them.
    const conditions = setCondition(before, accepted, now()).filter(({ type }) => type === accepted.type);
    const known = findCondition(before, 'Accepted');
    if (known?.message !== accepted.message || known.observedGeneration !== accepted.observedGeneration) {
      const status = { observedGeneration: definition.metadata.generation, conditions };
      const options = { fieldManager: serverManager, force: true, signal };
      await kube.resource(FeatureDefinition).applyStatus({ metadata: { ...ref }, status }, options);
      if (problems.length > 0) events.event(definition, 'Warning', 'Definition', accepted.message);
    }
    if (nameIsGate.holds(definition) && isStillKnown(definition, deps))
      await announce(deps, ref.namespace ?? '', definition.spec.gate, events, signal);
  };
}

async function announce(
  deps: AnnounceDeps,
  namespace: string,
  gate: string,
  events: EventRecorder,
  signal: AbortSignal,
): Promise<void> {
  const { kube, leadership, features, definitions } = deps;
  const name = featureName(gate);
  // A gate whose name makes no object name is reported, and has no Feature.
  if (name === undefined || !leadership.leads({ name, namespace })) return;
  const isDeclared = definitions.get({ name, namespace }) !== undefined;
  const existing = features.get({ name, namespace });
  const client = kube.resource(Feature);
  if (existing) {
    if (isDeclared && existing.metadata.labels?.[labels.discovered]) {
      await client.merge({ name, namespace }, { metadata: { labels: { [labels.discovered]: null } } }, { signal });
    }
    return;
  }
  const author = await deps.self(signal);
  try {
    const created = await client.create(
      {
        apiVersion,
        kind: 'Feature',
        metadata: { name, namespace, ...(!isDeclared && { labels: { [labels.discovered]: 'true' } }) },
        ...(author && { author }),
        spec: { gate },
      },
      { signal },
    );
    // Kubernetes reports hundreds of gates at the first start, each of which would be an event without consequence.
    if (isDeclared) events.event(created, 'Normal', 'FeatureAnnounced', `${gate} was declared`);
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists')) throw error;
  }
}
