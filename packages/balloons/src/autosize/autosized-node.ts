import type { BalloonPolicy } from '../api/balloon-policy.js';
import { keys } from '../api/group.js';
import type { NodeSize } from '../api/node-size.js';
import { claimantsOf, sizeManagers } from '../nodes/claim-size.js';
import type { NodeView } from '../nodes/node-view.js';
import { autosizeSettings } from './autosize-settings.js';

/** Whether the autosizer may determine the size of a node: the node is not opted out, and no other client declares it. */
export function isAutosizable({ labels }: Pick<NodeView, 'labels'>, size: NodeSize): boolean {
  const { paused = false, mode } = size.spec;
  if (labels[keys.autosize] === 'off' || paused || mode === 'External') return false;
  // Another field manager, such as a partition, would write its size again.
  return claimantsOf(size).every((manager) => manager === sizeManagers.autosizer);
}

/**
 * Whether the balloons of a policy may make room for any pod. Not where a size is a limit: with `max`, with a machine
 * that has shrunk too, or with a priority mode that was chosen.
 */
export function mayYield(policy: BalloonPolicy): boolean {
  const { max, actuatorRef, priorityMode = 'Auto' } = policy.spec;
  const isEnforced = autosizeSettings(policy)?.isEnforced ?? false;
  return isEnforced && max === undefined && actuatorRef === undefined && priorityMode === 'Auto';
}

/** Whether the balloon of a node makes room for any pod, so that schedulers treat the node as if it had its full size. */
export function isYielding({ labels }: Pick<NodeView, 'labels'>): boolean {
  return labels[keys.yielding] === 'true';
}
