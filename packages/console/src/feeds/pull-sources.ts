import { pastPullsOfEvents } from '@slipway/image-pulls';
import { type ClusterEvent, isPullEvent, type NodePull, nodeOfEvent, nodePullsOf } from '@slipway/image-pulls/views';
import type { Kube, KubeObject, ResourceRef } from '@slipway/kube';
import type { NodeSources } from './node-sources.js';
import { Source } from './source.js';

interface Event extends KubeObject, ClusterEvent {}

const Event: ResourceRef<Event> = { group: '', version: 'v1', kind: 'Event', plural: 'events', namespaced: true };

/** The pulls of every node, as the events of kubelets tell of them: those of the last hour. */
export class PullSources {
  readonly events: Source<Event>;
  readonly pods: NodeSources['pods'];

  constructor(kube: Kube, { pods }: Pick<NodeSources, 'pods'>) {
    this.events = new Source(kube, Event, onlyOfPulls);
    this.pods = pods;
    this.events.informer.addIndex(byNode, (event) => (isPullEvent(event) ? [nodeOfEvent(event)] : []));
  }

  get all() {
    return [this.events, this.pods] as const;
  }

  get isKnown(): boolean {
    return this.events.isKnown && this.pods.isKnown;
  }

  /** Names of the nodes of which there are events. */
  nodes(): readonly string[] {
    return [...new Set(this.events.informer.lister.list().filter(isPullEvent).map(nodeOfEvent))];
  }

  eventsOf(node: string): readonly Event[] {
    return this.events.informer.lister.byIndex(byNode, node);
  }

  /** The images that pods of a node wait for, the longest first. */
  waiting(node: string): readonly NodePull[] {
    return nodePullsOf(this.eventsOf(node)).filter((pull) => this.#stillWaits(pull));
  }

  /** The pulls that ended, as `slipway pulls what-if --from-events` reads them. */
  past(node: string) {
    return pastPullsOfEvents({ items: this.eventsOf(node) }).get(node) ?? { pulls: [], limit: 0 };
  }

  /** An event outlives its pod, and a pull that was given up leaves no other. */
  #stillWaits({ pod, podUid }: NodePull): boolean {
    const [namespace = '', name = ''] = pod.split('/');
    const found = this.pods.informer.lister.get({ namespace, name }) as PodState | undefined;
    if (!found || found.metadata.uid !== podUid) return false;
    const { phase, initContainerStatuses = [], containerStatuses = [] } = found.status ?? {};
    const statuses = [...initContainerStatuses, ...containerStatuses];
    return phase === 'Pending' || statuses.some(({ state }) => state?.waiting !== undefined);
  }
}

const byNode = 'node';

interface ContainerStatus {
  readonly state?: { readonly waiting?: unknown };
}

interface PodState extends KubeObject {
  readonly status?: {
    readonly phase?: string;
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

/** Of other events only their names are kept: a cluster has many. */
function onlyOfPulls(event: Event): Event {
  const { apiVersion, kind, metadata } = event;
  const { name, namespace, uid, resourceVersion } = metadata;
  const rest = { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } } as Event;
  if (!isPullEvent(event)) return rest;
  const { reason, message, firstTimestamp, lastTimestamp, eventTime, source, reportingInstance, involvedObject } =
    event;
  return {
    ...rest,
    reason,
    message,
    firstTimestamp,
    lastTimestamp,
    eventTime,
    source,
    reportingInstance,
    involvedObject,
  };
}
