import {
  type Amounts,
  balloonNamespace,
  balloonUsage,
  type ObservedNode,
  parseAmounts,
  resources,
} from '@slipway/balloons';
import { inWords } from '@slipway/balloons/views';
import {
  type Condition,
  type CoreEvent,
  Events,
  findCondition,
  type Kube,
  type KubeObject,
  StatusError,
} from '@slipway/kube';

/** What tells, besides the pods that are still there, which pods lost their place. */
export interface HarmEvidence {
  /** Of pods that were evicted, preempted or rejected. API servers keep events for an hour. */
  readonly events: readonly CoreEvent[];
  /** What balloons use, by the name of the pod; undefined where the cluster has no metrics API. */
  readonly usage: ReadonlyMap<string, Amounts> | undefined;
}

/** A pod that lost its place on a node. */
interface Loss {
  readonly uid: string;
  readonly pod: string;
  readonly reason: string;
  readonly atMs: number;
  /** UID of the pod that took the place, where the scheduler said so. */
  readonly byUID?: string | undefined;
}

/** Kubelets say the first four of a pod that failed, too; the scheduler deletes what it preempts. */
const lossReasons = ['Evicted', 'Preempting', 'OutOfcpu', 'OutOfmemory', 'Preempted'];

export async function readHarmEvidence(kube: Kube, signal: AbortSignal): Promise<HarmEvidence> {
  const [usage, ...events] = await Promise.all([
    balloonUsage(kube, balloonNamespace, signal).catch(unlessRefused),
    ...lossReasons.map((reason) => listEvents(kube, reason, signal)),
  ]);
  return { events: events.flat(), usage };
}

async function listEvents(kube: Kube, reason: string, signal: AbortSignal): Promise<readonly CoreEvent[]> {
  const all: CoreEvent[] = [];
  const fieldSelector = `reason=${reason},involvedObject.kind=Pod`;
  for await (const page of kube.resource(Events).pages({ fieldSelector, signal })) all.push(...page.items);
  return all;
}

/** A metrics API is missing (404), down (503) or closed to the caller (403). */
function unlessRefused(error: unknown): undefined {
  if (!(error instanceof StatusError)) throw error;
}

/** A pod that lost its place while a balloon grew, or this soon after it, is counted as lost because of it. */
const harmWithinMs = 30_000;

/** Which pods lost their place on a node because of its balloon; undefined when none did. */
export function harmedPods(observed: ObservedNode, evidence: HarmEvidence, nowMs: number): string | undefined {
  const harmed = new Map<string, string>();
  for (const loss of lossesOn(observed, evidence.events)) {
    const cause = causeIn(observed, evidence, loss, nowMs);
    if (cause !== undefined && !harmed.has(loss.uid)) harmed.set(loss.uid, `${loss.pod} ${cause} (${loss.reason})`);
  }
  return harmed.size === 0 ? undefined : [...harmed.values()].join('; ');
}

function causeIn(
  observed: ObservedNode,
  evidence: HarmEvidence,
  { reason, atMs, byUID }: Loss,
  nowMs: number,
): string | undefined {
  if (byUID !== undefined && byUID === observed.balloon?.uid) return 'lost its place to the balloon';
  const isNear = growthsOf(observed, nowMs).some(({ fromMs, toMs }) => atMs >= fromMs && atMs <= toMs + harmWithinMs);
  if (isNear) return 'lost its place when the balloon grew';
  const used = usedByBalloon(observed, evidence);
  return reason === 'Evicted' && used ? `was evicted from a node whose balloon uses ${inWords(used)}` : undefined;
}

/** When the balloon of a node grew, or tried to. Timestamps of the API are whole seconds, rounded down. */
function growthsOf(
  { size }: ObservedNode,
  nowMs: number,
): readonly { readonly fromMs: number; readonly toMs: number }[] {
  const { resize, lastResize, history = [] } = size?.status ?? {};
  const open = resize && resize.direction !== 'Up' ? [{ fromMs: Date.parse(resize.startedAt), toMs: nowMs }] : [];
  const finished = [...history, ...(lastResize ? [lastResize] : [])]
    .filter(({ direction, result }) => direction !== 'Up' && result !== 'NoChange' && result !== 'DoesNotFit')
    .map(({ finishedAt, durationMs }) => {
      const toMs = Date.parse(finishedAt) + 1_000;
      return { fromMs: toMs - durationMs - 2_000, toMs };
    });
  return [...open, ...finished];
}

function lossesOn({ node, pods, balloon }: ObservedNode, events: readonly CoreEvent[]): readonly Loss[] {
  const ofPods = pods.flatMap(failedPod);
  const ofEvents = events
    .filter((event) => nodeOfEvent(event) === node.name && isLoss(event.reason, event.message))
    .map(lossOfEvent);
  return [...ofPods, ...ofEvents].filter(({ uid }) => uid !== balloon?.uid);
}

function failedPod({ metadata, status }: KubeObject): readonly Loss[] {
  const { namespace, name, uid = '' } = metadata;
  const { phase, reason, message = '', conditions, startTime } = status ?? {};
  if (phase !== 'Failed' || !isLoss(reason, message)) return [];
  const disrupted: Condition | undefined = findCondition(conditions, 'DisruptionTarget');
  return [{ uid, pod: `${namespace}/${name}`, reason, atMs: Date.parse(disrupted?.lastTransitionTime ?? startTime) }];
}

/** Pods are evicted for want of disk or process IDs, too, and no balloon uses those. */
function isLoss(reason: string, message: string): boolean {
  return lossReasons.includes(reason) && (reason !== 'Evicted' || message.includes('low on resource: memory'));
}

/** The kubelet names itself as the source; the scheduler names the node in its message. */
function nodeOfEvent({ source, message, reason }: CoreEvent): string | undefined {
  return reason === 'Preempted' ? / on node (\S+)$/.exec(message)?.[1] : source?.host;
}

function lossOfEvent({ involvedObject, reason, message, metadata, ...event }: CoreEvent): Loss {
  const { namespace, name, uid = '' } = involvedObject;
  const time = event.lastTimestamp ?? event.eventTime ?? metadata.creationTimestamp ?? '';
  const byUID = /^Preempted by pod (\S+)/.exec(message)?.[1];
  return { uid, pod: `${namespace}/${name}`, reason, atMs: Date.parse(time), byUID };
}

/** What a pause container may seem to use: measurements round up, and count some of the kernel's memory. */
const allowance = parseAmounts({ cpu: '1m', memory: '4Mi' });

/** Describes what the balloon of a node really uses; undefined when it uses nothing, `unknown` without evidence. */
export function balloonInUse(observed: ObservedNode, evidence: HarmEvidence): string | 'unknown' | undefined {
  if (!observed.balloon?.running) return undefined;
  if (!evidence.usage?.has(observed.balloon.name)) return 'unknown';
  const used = usedByBalloon(observed, evidence);
  return used && `pod ${observed.balloon.name} uses ${inWords(used)}`;
}

function usedByBalloon({ balloon }: ObservedNode, { usage }: HarmEvidence): Amounts | undefined {
  const used = usage?.get(balloon?.name ?? '');
  return used && resources.some((resource) => used[resource] > allowance[resource]) ? used : undefined;
}
