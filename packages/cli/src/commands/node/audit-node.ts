import { balloonKeys, formatAmounts, minus, type ObservedNode, parseAmounts, plus, resources } from '@slipway/balloons';
import { balloonInUse, type HarmEvidence, harmedPods } from './audit-harm.js';
import type { Finding } from './findings.js';

/** Checks the invariants of every node; the simulation checks each of them after every event too. */
export function auditNode(observed: ObservedNode, evidence: HarmEvidence, nowMs: number): readonly Finding[] {
  const { node } = observed;
  const found: readonly (readonly [string, string | undefined])[] = [
    ['no more is set aside than the node has', overcommitted(observed)],
    ['a balloon has what it asks for, or a resize is at work', unsettled(observed)],
    ['pods may use no more than the machine was granted', exposed(observed)],
    ['a fence ends in time', staleFence(observed, nowMs)],
    ['no pod lost its place to a balloon', harmedPods(observed, evidence, nowMs)],
    ['a node that nothing manages carries nothing of ours', leftBehind(observed)],
  ];
  return [
    ...found.map(([check, problem]) => finding(node.name, check, problem)),
    usageFinding(node.name, balloonInUse(observed, evidence)),
  ];
}

function usageFinding(about: string, used: string | 'unknown' | undefined): Finding {
  const check = 'a balloon uses nothing';
  if (used !== 'unknown') return finding(about, check, used);
  return { about, check, answer: used, message: 'no metrics API reports what its balloon uses' };
}

function finding(about: string, check: string, problem: string | undefined): Finding {
  return { about, check, answer: problem === undefined ? 'yes' : 'no', message: problem ?? '' };
}

function overcommitted({ numbers, node }: ObservedNode): string | undefined {
  const over = minus(plus(numbers.requested, numbers.balloon), node.allocatable);
  const short = resources.filter((resource) => over[resource] > 0n);
  if (short.length === 0) return undefined;
  const amounts = formatAmounts(over);
  return short.map((resource) => `${amounts[resource]} ${resource} too much`).join(', ');
}

function unsettled({ balloon, size }: ObservedNode): string | undefined {
  if (!balloon?.bound || size?.status?.resize || size?.spec.mode === 'External') return undefined;
  const isSettled = resources.every((resource) => balloon.desired[resource] === balloon.allocated[resource]);
  return isSettled
    ? undefined
    : `pod ${balloon.name} asks for something else than it has, and no controller is at work on it`;
}

function exposed({ size, numbers }: ObservedNode): string | undefined {
  const { granted } = size?.status?.actuator ?? {};
  if (!granted || size?.status?.resize) return undefined;
  const exists = parseAmounts(granted);
  const over = resources.filter(
    (resource) => granted[resource] !== undefined && numbers.size[resource] > exists[resource],
  );
  return over.length === 0 ? undefined : `pods may use more ${over.join(' and ')} than the actuator says exists`;
}

/** A minute late is stale: clocks differ, and the sweep comes every 30 s. */
const lateMs = 60_000;

function staleFence({ node }: ObservedNode, nowMs: number): string | undefined {
  const { fencedUntilMs } = node;
  if (fencedUntilMs === undefined || nowMs <= fencedUntilMs + lateMs) return undefined;
  return `new pods have been kept away since ${new Date(fencedUntilMs).toISOString()} for no reason`;
}

function leftBehind({ node, policy, balloon }: ObservedNode): string | undefined {
  if (policy) return undefined;
  const ours = [
    ...node.taints
      .filter(({ key }) => key === balloonKeys.resizing || key === balloonKeys.unsized)
      .map(({ key }) => key),
    ...(node.labels[balloonKeys.managed] === undefined ? [] : [balloonKeys.managed]),
    ...(balloon ? [`pod ${balloon.name}`] : []),
  ];
  return ours.length === 0 ? undefined : ours.join(', ');
}
