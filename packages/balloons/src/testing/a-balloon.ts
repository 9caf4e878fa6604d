import { parseAmounts } from '../planner/amounts.js';
import type { BalloonPod } from '../pods/balloon-pod.js';

/** A balloon pod that runs with one core and 1Gi, of the class that the proposal asks for. */
export function aBalloon(change: Partial<BalloonPod> = {}): BalloonPod {
  const amounts = parseAmounts({ cpu: '1', memory: '1Gi' });
  return {
    namespace: 'kube-system',
    name: 'slipway-balloon-all-x',
    uid: 'p1',
    resourceVersion: '7',
    generation: 3,
    deleting: false,
    running: true,
    gated: false,
    bound: true,
    unschedulable: false,
    priority: { className: 'system-balloon', value: 2_000_001_000, preemptionPolicy: 'Never' },
    disruption: undefined,
    desired: amounts,
    allocated: amounts,
    actual: amounts,
    pending: undefined,
    failing: undefined,
    inProgress: false,
    ...change,
  };
}
