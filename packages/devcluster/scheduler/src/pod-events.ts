import type { Happening } from '@slipway/kube';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';

/** The event of a pod that got a node. */
export function scheduled({ metadata: { namespace, name } }: Pod, nodeName: string, atMs: number): Happening {
  const note = `Successfully assigned ${namespace}/${name} to ${nodeName}`;
  return { type: 'Normal', reason: 'Scheduled', action: 'Binding', note, atMs };
}

/** The event of a pod that got none. */
export function failedScheduling(note: string): Happening {
  return { type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling', note };
}

/** The event of a pod that waits until its devices are prepared. */
export function bindingConditionsPending(nodeName: string): Happening {
  const note = `waiting for binding conditions for device on node ${nodeName}`;
  return { type: 'Normal', reason: 'BindingConditionsPending', action: 'Scheduling', note };
}
