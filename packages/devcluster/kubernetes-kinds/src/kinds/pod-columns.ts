import { ageColumn, textColumn, wideColumn } from '@slipway/api-server/registry/columns';
import type { Column } from '@slipway/api-server/registry/resource-definition';
import type { KubeObject } from '@slipway/kube';
import type { PodSpecFields } from '@slipway/kube-objects/kinds/pod-spec';
import { timeSince } from '@slipway/kube-objects/rules/human-duration';

interface ContainerStatusFields {
  readonly name: string;
  readonly ready?: boolean;
  readonly started?: boolean;
  readonly restartCount?: number;
  readonly state?: StateFields;
  readonly lastState?: StateFields;
}

interface StateFields {
  readonly waiting?: { readonly reason?: string };
  readonly running?: object;
  readonly terminated?: {
    readonly exitCode: number;
    readonly signal?: number;
    readonly reason?: string;
    readonly finishedAt?: string | null;
  };
}

interface PodStatusFields {
  readonly phase?: string;
  readonly reason?: string;
  readonly podIP?: string;
  readonly podIPs?: readonly { readonly ip: string }[];
  readonly nominatedNodeName?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
  readonly initContainerStatuses?: readonly ContainerStatusFields[];
  readonly containerStatuses?: readonly ContainerStatusFields[];
}

/** What `kubectl get pods` says of a pod. */
export interface PodSummary {
  readonly ready: string;
  readonly status: string;
  readonly restarts: string;
}

/**
 * READY, STATUS and RESTARTS of a pod. STATUS is the most telling of phase, what
 * init containers are doing (`Init:0/1`), what the containers wait for or ended
 * with (`CrashLoopBackOff`, `Completed`), why the pod failed as a whole (`Evicted`,
 * `OutOfcpu`), and whether it is on its way out.
 */
export function summarizePod(pod: KubeObject, nowMs: number): PodSummary {
  const spec: PodSpecFields = pod.spec ?? {};
  const status: PodStatusFields = pod.status ?? {};
  const init = initProgress(spec, status);
  const main = containerProgress(status);
  const isGated = status.conditions?.some(
    ({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated',
  );

  let text = status.reason || status.phase || '';
  if (isGated) text = 'SchedulingGated';
  const isInitializing = init.text !== undefined && !isTrue(status, 'Initialized');
  text = (isInitializing ? init.text : (main.text ?? init.text)) ?? text;
  // One container is done and another runs: the pod as a whole does.
  if (text === 'Completed' && main.isRunning) text = isTrue(status, 'Ready') ? 'Running' : 'NotReady';
  // Upstream prints what the containers ended with. Why the kubelet ended or rejected the pod says more than `Completed`.
  if (status.phase === 'Failed' && status.reason) text = status.reason;
  const isOver = status.phase === 'Succeeded' || status.phase === 'Failed';
  if (pod.metadata.deletionTimestamp) {
    if (status.reason === 'NodeLost') text = 'Unknown';
    else if (!isOver) text = 'Terminating';
  }

  const sidecarsReady = init.sidecars.filter(({ ready, started }) => ready && started).length;
  const ready = sidecarsReady + (isInitializing ? 0 : main.ready);
  return {
    ready: `${ready}/${(spec.containers ?? []).length + sidecarCount(spec)}`,
    status: text,
    // Restarts of init containers count while they run; later only those of sidecars.
    restarts: isInitializing
      ? restartsText(init.seen, [], nowMs)
      : restartsText(init.sidecars, status.containerStatuses ?? [], nowMs),
  };
}

function sidecarCount({ initContainers }: PodSpecFields): number {
  return initContainers?.filter(({ restartPolicy }) => restartPolicy === 'Always').length ?? 0;
}

interface InitProgress {
  /** Undefined once they are through. */
  readonly text: string | undefined;
  readonly seen: readonly ContainerStatusFields[];
  readonly sidecars: readonly ContainerStatusFields[];
}

/** Of most pods, which have no init containers. */
const noProgress: InitProgress = { text: undefined, seen: [], sidecars: [] };

/** How far the init containers are. */
function initProgress(spec: PodSpecFields, status: PodStatusFields): InitProgress {
  if (!status.initContainerStatuses) return noProgress;
  const declared = spec.initContainers ?? [];
  const seen: ContainerStatusFields[] = [];
  const sidecars: ContainerStatusFields[] = [];
  for (const [index, container] of status.initContainerStatuses.entries()) {
    seen.push(container);
    const isSidecar = declared.find(({ name }) => name === container.name)?.restartPolicy === 'Always';
    const { terminated, waiting } = container.state ?? {};
    if (isSidecar) sidecars.push(container);
    if (terminated?.exitCode === 0 || (isSidecar && container.started)) continue;
    let text = `Init:${index}/${declared.length}`;
    if (terminated) text = `Init:${endText(terminated)}`;
    else if (waiting?.reason && waiting.reason !== 'PodInitializing') text = `Init:${waiting.reason}`;
    return { text, seen, sidecars };
  }
  return { text: undefined, seen, sidecars };
}

function containerProgress(status: PodStatusFields) {
  let text: string | undefined;
  let ready = 0;
  let isRunning = false;
  const containers = status.containerStatuses ?? [];
  // The first one that has something to say has the last word.
  for (let index = containers.length - 1; index >= 0; index -= 1) {
    const container = containers[index] as ContainerStatusFields;
    const { waiting, terminated, running } = container.state ?? {};
    if (waiting?.reason) {
      text = waiting.reason;
    } else if (terminated) {
      text = endText(terminated);
    } else if (container.ready && running) {
      isRunning = true;
      ready += 1;
    }
  }
  return { text, ready, isRunning };
}

function endText({ reason, signal, exitCode }: NonNullable<StateFields['terminated']>): string {
  return reason || (signal ? `Signal:${signal}` : `ExitCode:${exitCode}`);
}

/** `3 (5m ago)`: how often containers of two lists restarted, and when the last one ended. */
function restartsText(
  some: readonly ContainerStatusFields[],
  others: readonly ContainerStatusFields[],
  nowMs: number,
): string {
  let restarts = 0;
  let last = '';
  const count = ({ restartCount = 0, lastState }: ContainerStatusFields) => {
    restarts += restartCount;
    const end = lastState?.terminated?.finishedAt ?? '';
    if (end > last) last = end;
  };
  some.forEach(count);
  others.forEach(count);
  return restarts === 0 || last === '' ? `${restarts}` : `${restarts} (${timeSince(last, nowMs)} ago)`;
}

function isTrue(status: PodStatusFields, type: string): boolean {
  return status.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
}

function readinessGates(pod: KubeObject): string {
  const gates = (pod.spec as PodSpecFields | undefined)?.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const met = gates.filter(({ conditionType }) => isTrue(pod.status ?? {}, conditionType ?? '')).length;
  return `${met}/${gates.length}`;
}

/** The columns of a row ask one after the other. */
const summaryOf = rememberLast(summarizePod);

/** The same function, which gives the same answer again to who asks the same again at once. */
function rememberLast(summarize: typeof summarizePod): typeof summarizePod {
  let last: { readonly pod: KubeObject; readonly nowMs: number; readonly summary: PodSummary } | undefined;
  return (pod, nowMs) => {
    if (last?.pod !== pod || last.nowMs !== nowMs) {
      last = { pod, nowMs, summary: summarize(pod, nowMs) };
    }
    return last.summary;
  };
}

/** Columns of `kubectl get pods`. */
export const podColumns: readonly Column[] = [
  textColumn('Ready', 'Containers that are ready, of all containers.', (pod, nowMs) => summaryOf(pod, nowMs).ready),
  textColumn('Status', 'What the containers of the pod are doing.', (pod, nowMs) => summaryOf(pod, nowMs).status),
  textColumn('Restarts', 'How often containers were restarted.', (pod, nowMs) => summaryOf(pod, nowMs).restarts),
  ageColumn,
  wideColumn('IP', 'Address of the pod.', (pod) => {
    const status: PodStatusFields = pod.status ?? {};
    return status.podIPs?.[0]?.ip || status.podIP || '<none>';
  }),
  wideColumn('Node', 'Node that the pod runs on.', (pod) => pod.spec?.nodeName || '<none>'),
  wideColumn(
    'Nominated Node',
    'Node where room is being made for the pod.',
    (pod) => pod.status?.nominatedNodeName || '<none>',
  ),
  wideColumn('Readiness Gates', 'Readiness gates that are met, of all of them.', readinessGates),
];
