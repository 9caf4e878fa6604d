import type { StatefulSet } from '@slipway/kube-objects/kinds/api/workloads';
import { maxUnavailableGate } from '@slipway/kube-objects/rules/gate-names';
import { roundedDown } from '../workloads/int-or-percent.js';

/** What a gate answers, asked anew each time because its value may change while the process runs. */
export interface GateReader {
  enabled(gate: string): boolean;
}

/** Returns how many pods may be unavailable during a rolling update: 1 while the gate is off, whatever is stored. */
export function maxUnavailableOf(set: StatefulSet, gate: GateReader): number {
  const asked = set.spec.updateStrategy?.rollingUpdate?.maxUnavailable;
  if (!gate.enabled(maxUnavailableGate) || asked === undefined) return 1;
  return Math.max(1, roundedDown(asked, set.spec.replicas));
}
