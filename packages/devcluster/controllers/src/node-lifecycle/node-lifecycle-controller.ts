import {
  Controller,
  type KubeObject,
  leases,
  type ReconcileContext,
  type Reconciler,
  refOf,
  retryLostRaces,
  sameJson,
  TokenBucket,
  timestamp,
} from '@slipway/kube';
import { type Node, nodes } from '@slipway/kube-objects/kinds/api/nodes';
import { isReady, type Pod, podCondition, pods } from '@slipway/kube-objects/kinds/api/pods';
import { ifThere } from '@slipway/kube-objects/rules/disruption-target';
import { RecordedClient } from '../workloads/recorded-client.js';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { type Disruption, disruptionOf, evictionsPerSecond } from './disruption.js';
import { isAway, readiness, unknownConditions } from './node-conditions.js';
import { NodeCount } from './node-count.js';
import { listen, type Silence } from './node-silence.js';
import { type Eviction, isEvicting, wantedTaints } from './node-taints.js';
import { podsByNode } from './pods-by-node.js';

/** How long a node may be silent before its conditions are Unknown. */
const graceMs = 40_000;
/** The same for a node that has never said anything. */
const startupGraceMs = 60_000;
/** How often each node is listened to. */
const listenMs = 5_000;

const nodeLeases = { namespace: 'kube-node-lease' };

/** Sets the conditions of silent nodes to Unknown, and taints nodes by their conditions. */
export function nodeLifecycleController(deps: WorkloadDeps): Controller {
  const ofName = ({ metadata: { name = '' } }: KubeObject) => [{ name }];
  const nodeLister = deps.informers.informer(nodes).lister;
  // Pods matter only where their node is away: then no pod there is ready.
  const ofPod = ({ spec: { nodeName: name } }: KubeObject) => {
    const node = name ? nodeLister.get({ name }) : undefined;
    return node && isAway(node) ? [{ name }] : [];
  };
  return new Controller({
    ...deps,
    name: 'node-controller',
    for: nodes,
    watches: [
      { of: leases, map: ofName, options: nodeLeases },
      { of: pods, map: ofPod },
    ],
    workers: 4,
    reconcile: retryLostRaces(nodeLifecycleReconciler(deps)),
  });
}

/** Observes one node, says what became of it, and keeps taints and pods in line with that. */
function nodeLifecycleReconciler(deps: Omit<WorkloadDeps, 'log'>): Reconciler {
  const { kube, informers } = deps;
  const nodeInformer = informers.informer(nodes);
  const all = new RecordedClient(deps, nodes);
  const count = new NodeCount(nodeInformer);
  const leaseLister = informers.informer(leases, nodeLeases).lister;
  const podsOf = podsByNode(deps);
  const silences = new Map<string, Silence>();
  const registered = new Map<string, Node>();
  const mayEvictMore = evictionPace(deps);

  return async ({ name }, context) => {
    const known = all.get({ name });
    if (!known) {
      const gone = registered.get(name);
      if (gone) tell(gone, 'RemovingNode', `Removing Node ${name} from Controller`, context);
      silences.delete(name);
      registered.delete(name);
      return;
    }
    if (!registered.has(name)) tell(known, 'RegisteredNode', `Registered Node ${name} in Controller`, context);
    registered.set(name, known);
    const lease = leaseLister.get({ namespace: nodeLeases.namespace, name });
    const silence = listen(silences.get(name), known, lease, kube.clock.monotonicMs(), 2 * listenMs);
    silences.set(name, silence);

    const leftMs = (readiness(known) ? graceMs : startupGraceMs) - silence.silentMs;
    let node = leftMs > 0 ? known : await becameSilent(known, context);
    const eviction = evictionFrom(node);
    const taints = wantedTaints(node, eviction, context.now());
    if (!sameJson(taints, node.spec?.taints ?? [])) {
      node = await all.replace({ ...node, spec: { ...node.spec, taints } }, context.signal);
    }
    if (isAway(node)) {
      for (const pod of podsOf.on(name).filter((each) => wasReadyBefore(node, each))) await markNotReady(pod, context);
    }
    return { requeueAfterMs: leftMs > 0 ? Math.min(listenMs, leftMs) : listenMs };
  };

  async function becameSilent(node: Node, { signal, events, now }: ReconcileContext): Promise<Node> {
    const conditions = unknownConditions(node, now());
    if (sameJson(conditions, node.status?.conditions ?? [])) return node;
    const written = await all.replaceStatus(node, { ...node.status, conditions }, signal);
    count.look(written);
    const message = `Node ${node.metadata.name} status is now: NodeNotReady`;
    if (readiness(node) === 'True') events.event(node, 'Normal', 'NodeNotReady', message);
    return written;
  }

  function evictionFrom(node: Node): Eviction {
    if (!isAway(node)) return 'known';
    const { ready, total } = count;
    const disruption = disruptionOf(ready, total - ready);
    if (disruption === 'full') return 'none';
    return isEvicting(node) || !mayEvictMore(disruption, total) ? 'known' : 'new';
  }

  async function markNotReady(pod: Pod, { signal, events, now }: ReconcileContext): Promise<void> {
    let isChanged = false;
    const change = (draft: Pod) => {
      isChanged = draft.metadata.uid === pod.metadata.uid && isReady(draft);
      if (!isChanged) return;
      const conditions = draft.status?.conditions?.map((condition) =>
        condition.type === 'Ready'
          ? { ...condition, status: 'False' as const, lastTransitionTime: timestamp(now()) }
          : condition,
      );
      draft.status = { ...draft.status, ...(conditions && { conditions }) };
    };
    await ifThere(kube.resource(pods).mutate(refOf(pod), change, { subresource: 'status', signal }));
    if (isChanged) events.event(pod, 'Warning', 'NodeNotReady', 'Node is not ready');
  }
}

function tell(node: Node, reason: 'RegisteredNode' | 'RemovingNode', what: string, { events }: ReconcileContext): void {
  events.event(node, 'Normal', reason, `Node ${node.metadata.name} event: ${what}`);
}

/**
 * Whether a pod is said to be ready by a kubelet that has been lost since. What it says after that it says
 * because it is back, and contradicting it would only make it say so again.
 */
function wasReadyBefore(node: Node, pod: Pod): boolean {
  const since = podCondition(pod, 'Ready')?.lastTransitionTime ?? '';
  const lostAt = node.status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime ?? '';
  return isReady(pod) && since < lostAt;
}

/** Says whether pods may be driven from one more node now: many nodes at once are spread out. */
function evictionPace({ kube: { clock } }: Omit<WorkloadDeps, 'log'>) {
  const buckets = new Map<number, TokenBucket>();
  return (disruption: Disruption, count: number): boolean => {
    const perSecond = evictionsPerSecond(disruption, count);
    if (perSecond === 0) return false;
    const bucket = buckets.get(perSecond) ?? new TokenBucket({ clock, perSecond, burst: 1 });
    buckets.set(perSecond, bucket);
    return bucket.tryTake();
  };
}
