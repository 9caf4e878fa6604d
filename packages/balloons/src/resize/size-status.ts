import type { NodeSize, NodeSizeStatus } from '../api/node-size.js';
import type { NodeView } from '../nodes/node-view.js';
import {
  type Amounts,
  type AmountsText,
  formatAmounts,
  minus,
  parseAmounts,
  plus,
  resources,
  sameAmounts,
} from '../planner/amounts.js';
import type { BalloonPod } from '../pods/balloon-pod.js';
import type { PolicySettings } from '../settings/policy-settings.js';
import { withCondition } from './conditions.js';

/** The facts that a status is made of. */
export interface StatusFacts {
  readonly size: NodeSize;
  readonly node: NodeView;
  readonly policy: PolicySettings;
  readonly pod: BalloonPod | undefined;
  readonly requested: Amounts;
  /** The size that the autosizer recommends, if any. */
  readonly recommended: Amounts | undefined;
  /** How long ago the status was last written, in milliseconds. */
  readonly quietMs: number;
}

/** Returns the status with the current amounts of a node. Small changes are left out, see `isReportable`. */
export function observedStatus(
  { size, node, policy, pod: any, requested, recommended, quietMs }: StatusFacts,
  nowMs: number,
): NodeSizeStatus {
  const pod = any?.bound ? any : undefined;
  const { recommended: recommendedBefore, ...before } = size.status ?? {};
  const balloon = pod?.allocated ?? policy.limits.minBalloon;
  const now = minus(node.allocatable, balloon);
  const mayReport = (known: AmountsText | undefined, amounts: Amounts) =>
    quietMs >= longQuietMs || isReportable(known, amounts, node.allocatable);
  const shown = mayReport(before.requested, requested) ? requested : parseAmounts(before.requested);
  return {
    ...before,
    nodeUID: node.uid,
    policy: policy.name,
    kubeletVersion: node.kubeletVersion,
    ...(pod && { podRef: { namespace: pod.namespace, name: pod.name, uid: pod.uid } }),
    hardware: formatAmounts(node.hardware),
    allocatable: formatAmounts(node.allocatable),
    size: formatAmounts(now),
    requested: formatAmounts(shown),
    free: formatAmounts(minus(now, shown)),
    floor: formatAmounts(plus(shown, policy.limits.criticalReserve)),
    ...(recommended && {
      recommended: mayReport(recommendedBefore, recommended) ? formatAmounts(recommended) : recommendedBefore,
    }),
    ...(pod && {
      balloon: {
        desired: formatAmounts(pod.desired),
        allocated: formatAmounts(pod.allocated),
        ...(lagsBehind(pod) &&
          (quietMs >= longQuietMs || before.balloon?.actual) && { actual: formatAmounts(pod.actual) }),
      },
    }),
    conditions: withCondition(before.conditions, nowMs, 'BalloonPresent', pod?.running ?? false, presenceOf(pod)),
  };
}

function presenceOf(pod: BalloonPod | undefined): { readonly reason: string; readonly message: string } {
  if (!pod) return { reason: 'Missing', message: 'no balloon pod is on the node' };
  const name = `pod ${pod.namespace}/${pod.name}`;
  return pod.running ? { reason: 'Running', message: name } : { reason: 'NotRunning', message: `${name} does not run` };
}

/** The actual amounts mostly follow the allocated ones within moments; to report that would cost a write per resize. */
function lagsBehind({ actual, allocated }: BalloonPod): boolean {
  return !sameAmounts(actual, allocated);
}

/** Changes of at least a twentieth of the node are written at once; smaller ones would cost a write for every pod. */
const reportablePart = 20n;
/** Smaller changes are written after this long. */
export const longQuietMs = 30_000;

function isReportable(before: AmountsText | undefined, now: Amounts, allocatable: Amounts): boolean {
  if (!before) return true;
  const known = parseAmounts(before);
  return resources.some((resource) => {
    const change = now[resource] - known[resource];
    return (change < 0n ? -change : change) * reportablePart >= allocatable[resource];
  });
}

/** Records that this generation of the spec was acted on: callers wait for `observedRequestID` and for `resize` to go. */
export function withObservedSpec(status: NodeSizeStatus, size: NodeSize): NodeSizeStatus {
  const { observedRequestID: _before, ...rest } = status;
  const { requestID } = size.spec;
  return {
    ...rest,
    observedGeneration: size.metadata.generation ?? 0,
    ...(requestID !== undefined && { observedRequestID: requestID }),
  };
}
