import type { EventRecorder, KubeObject, LabelSelector } from '@slipway/kube';
import { selectsEverything } from './plan-claims.js';

/** Whether a workload selects all pods of its namespace, which an event then says. Such a one is to be left alone. */
export function selectsAllPods(
  workload: KubeObject & { readonly spec: { readonly selector: LabelSelector } },
  kind: string,
  events: EventRecorder,
): boolean {
  const isAll = selectsEverything(workload.spec.selector);
  const message = `This ${kind} is selecting all pods. A non-empty selector is required.`;
  if (isAll) events.event(workload, 'Warning', 'SelectingAll', message);
  return isAll;
}
