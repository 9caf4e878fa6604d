import { effectiveRequests, type KubeObject, type LabelSelector, type ResourceAmounts } from '@slipway/kube';
import { type Amounts, amountsOf } from '../planner/amounts.js';

/** The properties of a pod on a node that decide where other pods may run. */
export interface Neighbour {
  readonly namespace: string;
  readonly node: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly priority: number;
  readonly isLeaving: boolean;
  readonly amounts: Amounts;
  /** Requests other than cpu and memory. */
  readonly others: ResourceAmounts;
  /** `TCP/80` */
  readonly hostPorts: readonly string[];
  /** Its required pod anti-affinity. */
  readonly repels: readonly PodAffinityTerm[];
}

/** `PodAffinityTerm` of core/v1. The API server has merged `matchLabelKeys` into the selector. */
export interface PodAffinityTerm {
  readonly topologyKey: string;
  readonly labelSelector?: LabelSelector;
  readonly namespaces?: readonly string[];
  readonly namespaceSelector?: LabelSelector;
}

const none: readonly never[] = [];
const noAmounts: ResourceAmounts = {};

/** Reads a pod as one that is on `node`. @throws QuantityError when an amount cannot be read. */
export function neighbourOf(pod: KubeObject, node: string = pod.spec?.nodeName ?? ''): Neighbour {
  const { metadata, spec } = pod;
  const requests = effectiveRequests(pod);
  const { cpu: _cpu, memory: _memory, ...others } = requests;
  const repels = spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return {
    namespace: metadata.namespace ?? '',
    node,
    labels: shared(metadata.labels ?? {}),
    priority: spec?.priority ?? 0,
    isLeaving: metadata.deletionTimestamp !== undefined,
    amounts: amountsOf(requests),
    others: Object.keys(others).length > 0 ? others : noAmounts,
    hostPorts: hostPortsOf(spec),
    repels: repels?.length ? repels : none,
  };
}

interface Container {
  readonly ports?: readonly { readonly hostPort?: number; readonly protocol?: string }[];
}

function hostPortsOf(spec: KubeObject['spec']): readonly string[] {
  const containers: readonly Container[] = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const ports = containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, protocol = 'TCP' }) => (hostPort ? [`${protocol}/${hostPort}`] : [])),
  );
  return ports.length > 0 ? ports : none;
}

const known = new Map<string, Readonly<Record<string, string>>>();
/** Replicas share one object of labels; maximum of such objects. */
const maxKnown = 10_000;

function shared(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const text = JSON.stringify(labels);
  const before = known.get(text);
  if (before) return before;
  if (known.size < maxKnown) known.set(text, labels);
  return labels;
}
