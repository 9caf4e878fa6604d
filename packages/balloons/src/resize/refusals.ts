import { StatusError } from '@slipway/kube';
import type { Ending } from '../ticket/resize-work.js';
import type { Degradation } from './conditions.js';

/** Returns the ending of a resize that the API server rejected; undefined for errors unrelated to the resize. */
export function refusedEnding(error: unknown): Ending | undefined {
  if (!(error instanceof StatusError)) return undefined;
  const { code = 0, message = '' } = error.status;
  if (code === 404) return { result: 'PodReplaced', reason: 'PodReplaced', message };
  if (code !== 403 && code !== 422 && code !== 400) return undefined;
  return { result: 'Rejected', reason: refusalReason(message), message };
}

/** Returns which kind of rule rejected it, which only the message shows. */
function refusalReason(message: string): string {
  if (message.includes('exceeded quota')) return 'QuotaExceeded';
  if (/(maximum|minimum) (cpu|memory) usage per|limit to request ratio/.test(message)) return 'LimitRange';
  return 'Refused';
}

/** Reason of an ending: another client resized the balloon. */
export const externalResize = 'ExternalResize';

/** The ending when memory cannot be resized and cpu is resized alone. */
export const memoryMaySwap: Ending = {
  result: 'Infeasible',
  reason: 'SwapBlocksMemory',
  message: 'the kubelet resizes no memory that may swap; give the policy spec.pod.memoryLimit MatchRequest',
};

/** Returns the degradation of the node that an ending shows, if any. */
export function degradationOf(ending: Pick<Ending, 'result' | 'reason' | 'message'>): Degradation | undefined {
  const { reason, message } = ending;
  if (reason === 'QuotaExceeded' || reason === 'LimitRange') return { reason, message };
  if (reason === 'ActuatorUnknown') return { reason, message };
  if (reason === externalResize) return { reason: 'ExternalResizeReverted', message };
  if (ending.result === 'Infeasible' && /swap/i.test(message)) return { reason: 'SwapBlocksMemory', message };
  return undefined;
}
