import type { ScalingRuleFields } from '@slipway/kube-objects/kinds/autoscaler';

/** How many pods were called for, and when. */
export interface Recommendation {
  readonly replicas: number;
  readonly atMs: number;
}

/** Pods that came (above 0) or went (below), and when. */
export interface ScaleEvent {
  readonly change: number;
  readonly atMs: number;
}

/** What an autoscaler remembers from one look to the next. */
export interface Memory {
  readonly recommendations: readonly Recommendation[];
  readonly events: readonly ScaleEvent[];
}

/** What is wanted, and between which bounds. */
export interface Wish {
  /** Pods there are. */
  readonly current: number;
  /** Pods the metrics call for. */
  readonly desired: number;
  readonly min: number;
  readonly max: number;
  /** Absent = the pace of Kubernetes. */
  readonly behavior?: { readonly scaleUp?: ScalingRuleFields; readonly scaleDown?: ScalingRuleFields } | undefined;
}

/** A finding as a condition tells it. */
export interface Finding {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

export interface Limited {
  readonly replicas: number;
  /** Of `AbleToScale`. */
  readonly able: Finding;
  /** Of `ScalingLimited`. */
  readonly limited: Finding;
}

/** Default time for which recommended pods are kept. */
const downWindowMs = 300_000;
/** The longest window and period that can be asked for. */
const longestMemoryMs = 3_600_000;

/** Limits the next number of replicas by the earlier recommendations and by how fast the number may change. */
export function limitPace(wish: Wish, memory: Memory, nowMs: number): Limited {
  const stabilized = stabilize(wish, memory.recommendations, nowMs);
  const isHeld = stabilized !== wish.desired;
  const isUp = wish.behavior !== undefined && wish.desired >= wish.current;
  const able: Finding = isHeld
    ? { status: 'True', reason: isUp ? 'ScaleUpStabilized' : 'ScaleDownStabilized', message: isUp ? lowest : highest }
    : { status: 'True', reason: 'ReadyForNewScale', message: 'recommended size matches current size' };
  const { replicas, ...why } = wish.behavior
    ? withinRules({ ...wish, desired: stabilized }, memory.events, nowMs)
    : withinRange({ ...wish, desired: stabilized });
  return { replicas, able, limited: { status: replicas === stabilized ? 'False' : 'True', ...why } };
}

const highest = 'recent recommendations were higher than current one, applying the highest recent recommendation';
const lowest = 'recent recommendations were lower than current one, applying the lowest recent recommendation';

/** As many as were called for all along: the fewest while growing, the most while shrinking. */
function stabilize({ current, desired, behavior }: Wish, before: readonly Recommendation[], nowMs: number): number {
  const since = (windowMs: number) =>
    before.filter(({ atMs }) => atMs > nowMs - windowMs).map(({ replicas }) => replicas);
  const down = since(windowOf(behavior?.scaleDown, downWindowMs));
  if (!behavior) return Math.max(desired, ...down);
  const fewest = Math.min(desired, ...since(windowOf(behavior.scaleUp, 0)));
  const most = Math.max(desired, ...down);
  return Math.min(Math.max(current, fewest), most);
}

function windowOf(rules: ScalingRuleFields | undefined, otherwiseMs: number): number {
  return rules?.stabilizationWindowSeconds === undefined ? otherwiseMs : rules.stabilizationWindowSeconds * 1000;
}

type Chosen = Pick<Finding, 'reason' | 'message'> & { readonly replicas: number };

const inRange = { reason: 'DesiredWithinRange', message: 'the desired count is within the acceptable range' };
const tooFast = {
  reason: 'ScaleUpLimit',
  message: 'the desired replica count is increasing faster than the maximum scale rate',
};
const tooFastDown = {
  reason: 'ScaleDownLimit',
  message: 'the desired replica count is decreasing faster than the maximum scale rate',
};
const tooMany = {
  reason: 'TooManyReplicas',
  message: 'the desired replica count is more than the maximum replica count',
};
const tooFew = {
  reason: 'TooFewReplicas',
  message: 'the desired replica count is less than the minimum replica count',
};

/** The pace of an autoscaler that says nothing of it: at most twice as many, or four, at a time. */
function withinRange({ current, desired, min, max }: Wish): Chosen {
  const most = Math.max(2 * current, 4);
  if (desired < min) return { replicas: min, ...tooFew };
  if (desired > Math.min(most, max)) return { replicas: Math.min(most, max), ...(max > most ? tooFast : tooMany) };
  return { replicas: desired, ...inRange };
}

function withinRules(
  { current, desired, min, max, behavior = {} }: Wish,
  events: readonly ScaleEvent[],
  nowMs: number,
) {
  if (desired > current) {
    const most = Math.max(current, allowed(behavior.scaleUp ?? {}, current, events, nowMs, 'up'));
    const limit = Math.min(most, max);
    return desired > limit
      ? { replicas: limit, ...(max > most ? tooFast : tooMany) }
      : { replicas: desired, ...inRange };
  }
  if (desired < current) {
    const fewest = Math.min(current, allowed(behavior.scaleDown ?? {}, current, events, nowMs, 'down'));
    const limit = Math.max(fewest, min);
    return desired < limit
      ? { replicas: limit, ...(min < fewest ? tooFastDown : tooFew) }
      : { replicas: desired, ...inRange };
  }
  return { replicas: desired, ...inRange };
}

/** How far policies let it go, counted from how many pods there were when their periods began. */
function allowed(
  { policies, selectPolicy }: ScalingRuleFields,
  current: number,
  events: readonly ScaleEvent[],
  nowMs: number,
  direction: 'up' | 'down',
): number {
  if (selectPolicy === 'Disabled') return current;
  const limits = (policies ?? []).map(({ type, value = 0, periodSeconds = 0 }) => {
    const recent = events.filter(({ atMs }) => atMs > nowMs - periodSeconds * 1000);
    const before = current - recent.reduce((sum, { change }) => sum + change, 0);
    const sign = direction === 'up' ? 1 : -1;
    if (type === 'Pods') return before + sign * value;
    return direction === 'up' ? Math.ceil(before * (1 + value / 100)) : Math.trunc(before * (1 - value / 100));
  });
  const widest = (selectPolicy !== 'Min') === (direction === 'up');
  return widest ? Math.max(...limits) : Math.min(...limits);
}

/** Returns the history to keep, without entries that are older than every window. */
export function remember(
  { recommendations, events }: Memory,
  seen: { readonly desired?: number; readonly change?: number },
  nowMs: number,
): Memory {
  const { desired, change = 0 } = seen;
  const isRecent = ({ atMs }: { readonly atMs: number }) => atMs > nowMs - longestMemoryMs;
  return {
    recommendations: [
      ...recommendations.filter(isRecent),
      ...(desired === undefined ? [] : [{ replicas: desired, atMs: nowMs }]),
    ],
    events: [...events.filter(isRecent), ...(change === 0 ? [] : [{ change, atMs: nowMs }])],
  };
}
