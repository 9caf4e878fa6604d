import { timestamp } from '@slipway/kube';
import type { Pod, PodCondition, PodStatus } from '@slipway/kube-objects/kinds/api/pods';
import { resizeConditionTypes } from '../allocation/resize-state.js';
import type { Ending } from '../pods/residents.js';

/** What the conditions of a pod follow from. */
export interface ConditionFacts {
  readonly phase: NonNullable<PodStatus['phase']>;
  /** The phase by which containers are ready or not. */
  readonly readyPhase: NonNullable<PodStatus['phase']>;
  readonly isMounted: boolean;
  /** Whether the kubelet says why no container can start. */
  readonly saysWhyNoSandbox: boolean;
  readonly isSetUp: boolean;
  /** Names of containers and sidecars that are not ready. */
  readonly unready: readonly string[];
  /** Names of init containers that are not through. */
  readonly unfinished: readonly string[];
}

interface Why {
  readonly reason?: string;
  readonly message?: string;
}

/**
 * The conditions that a kubelet writes, followed by those that others wrote.
 *
 * @param generation the generation that is looked at, where kubelets say so
 * @param ending why the kubelet stopped the pod, if it did
 */
export function podConditions(
  pod: Pod,
  facts: ConditionFacts,
  nowMs: number,
  generation: Pick<PodCondition, 'observedGeneration'>,
  ending?: Ending,
): readonly PodCondition[] {
  const { phase, isSetUp, unfinished, saysWhyNoSandbox } = facts;
  const noSandbox = sandboxNotReady(facts);
  const notReady = containersNotReady(facts);
  const gated = notReady ?? gatesNotMet(pod);
  const notInitialized = {
    reason: 'ContainersNotInitialized',
    message: `containers with incomplete status: [${unfinished.join(' ')}]`,
  };
  const initialized = phase === 'Succeeded' ? { reason: 'PodCompleted' } : {};
  const is = (type: string, holds: boolean, why: Why = {}) => {
    const status = holds ? 'True' : 'False';
    const before = pod.status?.conditions?.find((condition) => condition.type === type);
    const since = before?.status === status && before.lastTransitionTime;
    return {
      type,
      ...generation,
      status,
      lastProbeTime: null,
      lastTransitionTime: since || timestamp(nowMs),
      ...why,
    } as const;
  };
  const target = ending?.disruption;
  const isOwn = (type: string) => ownConditions.has(type) || (target !== undefined && type === 'DisruptionTarget');
  const others = pod.status?.conditions?.filter(({ type }) => !isOwn(type)) ?? [];
  return [
    is('PodReadyToStartContainers', !noSandbox, saysWhyNoSandbox ? noSandbox : undefined),
    is('Initialized', isSetUp, isSetUp ? initialized : notInitialized),
    is('Ready', !gated, gated),
    is('ContainersReady', !notReady, notReady),
    is('PodScheduled', true),
    ...(target === undefined
      ? []
      : [is('DisruptionTarget', true, { reason: 'TerminationByKubelet', message: target })]),
    ...others,
  ];
}

function sandboxNotReady({ phase, isMounted }: ConditionFacts): Why | undefined {
  const reason = 'PodSandboxNotReady';
  if (!isMounted) return { reason, message: 'no pod sandbox exists' };
  const isOver = phase === 'Succeeded' || phase === 'Failed';
  return isOver ? { reason, message: 'pod sandbox is not ready' } : undefined;
}

function containersNotReady({ readyPhase, unready }: ConditionFacts): Why | undefined {
  if (readyPhase === 'Succeeded') return { reason: 'PodCompleted' };
  if (readyPhase === 'Failed') return { reason: 'PodFailed' };
  if (unready.length === 0) return undefined;
  return { reason: 'ContainersNotReady', message: `containers with unready status: [${unready.join(' ')}]` };
}

/** What keeps a pod whose containers are ready from being ready itself. */
function gatesNotMet(pod: Pod): Why | undefined {
  const gates: readonly { readonly conditionType: string }[] = pod.spec.readinessGates ?? [];
  const problems = gates.flatMap(({ conditionType }) => {
    const condition = pod.status?.conditions?.find(({ type }) => type === conditionType);
    if (!condition) return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    if (condition.status === 'True') return [];
    return [`the status of pod readiness gate "${conditionType}" is not "True", but ${condition.status}`];
  });
  return problems.length > 0 ? { reason: 'ReadinessGatesNotReady', message: problems.join(', ') } : undefined;
}

const ownConditions = new Set<string>([
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
  ...resizeConditionTypes,
]);
