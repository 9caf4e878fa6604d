import {
  controllerOf,
  type LabelRequirement,
  type LabelSelector,
  matchesLabels,
  type ObjectRef,
  requirementsOf,
} from '@slipway/kube';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { type SpreadRule, spreadRule } from './demand/spread-rule.js';
import { hostname, zone } from './scores/spread-score.js';

/** What brings pods together that a user would like to see spread. */
export interface PodGroups {
  /** The label selectors of the services of a namespace. */
  readonly services: (namespace: string) => readonly Readonly<Record<string, string>>[];
  /** The selector of a workload that controls pods; undefined when it is not there, or of another kind. */
  readonly workload: (
    owner: { readonly apiVersion: string; readonly kind: string } & ObjectRef,
  ) => LabelSelector | undefined;
}

/** Constraints of pods that have none, as Kubernetes' scheduler has them by itself. */
const constraints = [
  { topologyKey: hostname, maxSkew: 3, whenUnsatisfiable: 'ScheduleAnyway' },
  { topologyKey: zone, maxSkew: 5, whenUnsatisfiable: 'ScheduleAnyway' },
] as const;

/**
 * Spreads the pods of one service, ReplicaSet or StatefulSet over nodes and zones, as far as nothing weightier
 * speaks against it.
 */
export class DefaultSpread {
  readonly #groups: PodGroups;

  constructor(groups: PodGroups) {
    this.#groups = groups;
  }

  /** The rules for a pod without constraints of its own; none when it belongs to no group. @throws SelectorError */
  rulesFor(pod: Pod): readonly SpreadRule[] {
    const { namespace = '' } = pod.metadata;
    const requirements = this.#requirementsOf(pod, namespace);
    if (requirements.length === 0) return [];
    const selects = (other: Pod) => matchesLabels(requirements, other.metadata.labels);
    return constraints.map((constraint) => spreadRule(constraint, pod, { selects, by: requirements }));
  }

  /** Like Kubernetes, what all services of the pod and its workload select together. */
  #requirementsOf(pod: Pod, namespace: string): readonly LabelRequirement[] {
    const { labels = {} } = pod.metadata;
    const services = this.#groups
      .services(namespace)
      .filter((selector) => Object.entries(selector).every(([key, value]) => labels[key] === value));
    const byService = requirementsOf({ matchLabels: Object.assign({}, ...services) });
    const owner = controllerOf(pod);
    const selector = owner && this.#groups.workload({ ...owner, namespace });
    return selector ? [...byService, ...requirementsOf(selector)] : byService;
  }
}
