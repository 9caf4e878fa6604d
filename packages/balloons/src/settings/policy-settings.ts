import type { BalloonPolicy } from '../api/balloon-policy.js';
import type { FenceMode } from '../api/node-size.js';
import {
  type Amounts,
  type AmountsText,
  nothing,
  parseAmounts,
  type ResourceName,
  resources,
} from '../planner/amounts.js';
import type { SizeLimits } from '../planner/plan-size.js';

/** A policy with every default filled in and every amount read. */
export interface PolicySettings {
  readonly name: string;
  /** False when the policy is off or being deleted: every node is restored. */
  readonly enabled: boolean;
  readonly limits: SizeLimits;
  readonly fence: {
    readonly mode: FenceMode;
    readonly settleMs: number;
    readonly headroomPercent: number;
    readonly maxMs: number;
  };
  readonly patchMs: number;
  readonly verifyMs: number;
  readonly observeMs: number;
  readonly rollbackMs: number;
  readonly pod: {
    readonly image: string;
    readonly hostNetwork: boolean;
    readonly memoryLimit: 'None' | 'MatchRequest';
  };
  /** Maximum of resizes at a time. */
  readonly concurrency: { readonly cluster: number; readonly perFailureDomain: number };
  readonly actuator: string | undefined;
}

/** @throws QuantityError when an amount cannot be read. */
export function readPolicy(policy: BalloonPolicy): PolicySettings {
  const { metadata, spec } = policy;
  const { fence = {}, timeouts = {}, pod = {} } = spec;
  return {
    name: metadata.name ?? '',
    enabled: isEnabled(policy),
    limits: {
      min: parseAmounts(spec.min),
      max: named(spec.max),
      granularity: { ...parseAmounts({ cpu: '10m', memory: '16Mi' }), ...named(spec.granularity) },
      criticalReserve: spec.criticalReserve ? parseAmounts(spec.criticalReserve) : nothing,
      minBalloon: { ...parseAmounts({ cpu: '0', memory: '8Mi' }), ...named(pod.minBalloon) },
    },
    fence: {
      mode: fence.mode ?? 'Auto',
      settleMs: fence.settleMillis ?? 500,
      headroomPercent: fence.headroomPercent ?? 10,
      maxMs: (fence.maxSeconds ?? 15) * 1000,
    },
    patchMs: (timeouts.patchSeconds ?? 7) * 1000,
    verifyMs: (timeouts.verifySeconds ?? 3) * 1000,
    observeMs: (timeouts.observeSeconds ?? 10) * 1000,
    rollbackMs: (timeouts.rollbackSeconds ?? 10) * 1000,
    pod: {
      image: pod.image ?? 'registry.k8s.io/pause:3.10',
      hostNetwork: pod.hostNetwork ?? true,
      memoryLimit: pod.memoryLimit ?? 'None',
    },
    concurrency: {
      cluster: spec.concurrency?.cluster ?? 50,
      perFailureDomain: spec.concurrency?.perFailureDomain ?? 10,
    },
    actuator: spec.actuatorRef?.name,
  };
}

/** Whether a policy is in effect: it is not switched off, nor being deleted. */
export function isEnabled({ spec, metadata }: BalloonPolicy): boolean {
  return spec.enabled !== false && metadata.deletionTimestamp === undefined;
}

/** The amounts that are given, and no others. */
function named(text: AmountsText | undefined): Partial<Amounts> {
  const all = parseAmounts(text);
  const given: Partial<Record<ResourceName, bigint>> = {};
  for (const resource of resources) if (text?.[resource] !== undefined) given[resource] = all[resource];
  return given;
}
