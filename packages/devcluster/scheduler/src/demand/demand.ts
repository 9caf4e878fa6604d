import { effectiveRequests, podRequests, type ResourceAmounts, resourceAmounts } from '@slipway/kube';
import type { Pod, PodAffinity } from '@slipway/kube-objects/kinds/api/pods';
import { type Amounts, amountsOfPod, integers, sharedAmounts } from '@slipway/kube-objects/rules/amounts';
import { type HostPort, hostPortsOf } from '@slipway/kube-objects/rules/host-ports';
import { type PodTerm, podTerm } from './pod-term.js';
import { type SpreadRule, spreadRule } from './spread-rule.js';

/** What a pod takes of a node and asks of its neighbours, worked out once. */
export interface Demand {
  readonly pod: Pod;
  readonly uid: string;
  readonly priority: number;
  readonly amounts: Amounts;
  /** The same for scoring, where a container that asks for nothing still weighs something. */
  readonly load: Amounts;
  /** The load for which its node is chosen: of its containers, whatever it asks for as a whole. */
  readonly loadBeforehand: Amounts;
  readonly hostPorts: readonly HostPort[];
  /** Pods that it wants near. */
  readonly near: Company;
  /** Pods that it wants far. */
  readonly far: Company;
  readonly mustSpread: readonly SpreadRule[];
  readonly shouldSpread: readonly SpreadRule[];
}

/** Rules about other pods: those that must be fulfilled and those that count. */
export interface Company {
  readonly required: readonly PodTerm[];
  readonly preferred: readonly WeightedTerm[];
}

export interface WeightedTerm extends PodTerm {
  readonly weight: number;
}

/** @throws QuantityError or SelectorError when the pod cannot be read. */
export function demandOf(pod: Pod): Demand {
  const { affinity, topologySpreadConstraints = [] } = pod.spec;
  const amounts = amountsOfPod(pod);
  const spread = (when: 'DoNotSchedule' | 'ScheduleAnyway') =>
    unlessEmpty(
      topologySpreadConstraints.filter((each) => each.whenUnsatisfiable === when).map((each) => spreadRule(each, pod)),
    );
  return {
    pod,
    uid: pod.metadata.uid ?? '',
    priority: pod.spec.priority ?? 0,
    amounts,
    ...loadsOf(pod, amounts),
    hostPorts: unlessEmpty(hostPortsOf(pod)),
    near: company(affinity?.podAffinity, pod),
    far: company(affinity?.podAntiAffinity, pod),
    mustSpread: spread('DoNotSchedule'),
    shouldSpread: spread('ScheduleAnyway'),
  };
}

/** Whether the pod has rules about others that matter to where those can go. */
export function hasCompany({ near, far }: Demand): boolean {
  return near.required.length + near.preferred.length + far.required.length + far.preferred.length > 0;
}

/** Most pods have none of most things: they have it together. */
const none: readonly never[] = Object.freeze([]);
const noCompany: Company = { required: none, preferred: none };

function unlessEmpty<T>(list: readonly T[]): readonly T[] {
  return list.length > 0 ? list : none;
}

function company(affinity: PodAffinity | undefined, pod: Pod): Company {
  if (!affinity) return noCompany;
  const required = affinity.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const preferred = affinity.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return {
    required: required.map((term) => podTerm(term, pod)),
    preferred: preferred.map(({ weight, podAffinityTerm }) => ({ ...podTerm(podAffinityTerm, pod), weight })),
  };
}

/** A container without requests counts for 100 millicpu and 200 MiB in scores. */
const assumed = new Map(Object.entries(resourceAmounts({ cpu: '100m', memory: '200Mi' })));

function loadsOf(pod: Pod, amounts: Amounts): Pick<Demand, 'load' | 'loadBeforehand'> {
  const asWhole = pod.spec.resources?.requests;
  const load = loadFrom(effectiveRequests(pod, { unasked: asWhole ? withoutKnown(amounts) : assumed }));
  if (!asWhole) return { load, loadBeforehand: load };
  return { load, loadBeforehand: loadFrom(podRequests(pod, { unasked: assumed, containersOnly: true })) };
}

/** What the pod asks for, as a whole or in any container, is not made up for in the others once it asks as a whole. */
function withoutKnown(amounts: Amounts): typeof assumed {
  return new Map([...assumed].filter(([name]) => !amounts.has(name)));
}

function loadFrom(all: ResourceAmounts): Amounts {
  const known = integers(all);
  return sharedAmounts(
    new Map([
      ['cpu', known.get('cpu') ?? 0],
      ['memory', known.get('memory') ?? 0],
    ]),
  );
}
