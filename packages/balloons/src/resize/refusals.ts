import { StatusError } from '@slipway/kube';
import type { Ending } from '../ticket/resize-work.js';
import type { Degradation } from './size-status.js';

/** How a resize ends that the API server refused; undefined for an error that says nothing about the resize. */
export function refusedEnding(error: unknown): Ending | undefined {
  if (!(error instanceof StatusError)) return undefined;
  const { code = 0, message = '' } = error.status;
  if (code === 404) return { result: 'PodReplaced', reason: 'PodReplaced', message };
  if (code !== 403 && code !== 422 && code !== 400) return undefined;
  return { result: 'Rejected', reason: refusalReason(message), message };
}

/** Whose rule it was. Admission says so in words only. */
function refusalReason(message: string): string {
  if (message.includes('exceeded quota')) return 'QuotaExceeded';
  if (/(maximum|minimum) (cpu|memory) usage per|limit to request ratio/.test(message)) return 'LimitRange';
  return 'Refused';
}

/** Reason of an ending: somebody resized the balloon whose size is not theirs to say. */
export const externalResize = 'ExternalResize';

/** Why memory is left out: cpu is resized alone then. */
export const memoryMaySwap: Ending = {
  result: 'Infeasible',
  reason: 'SwapBlocksMemory',
  message: 'the kubelet resizes no memory that may swap; give the policy spec.pod.memoryLimit MatchRequest',
};

/** What an ending says about the state of the node. */
export function degradationOf(ending: Pick<Ending, 'result' | 'reason' | 'message'>): Degradation | undefined {
  const { reason, message } = ending;
  if (reason === 'QuotaExceeded' || reason === 'LimitRange') return { reason, message };
  if (reason === 'ActuatorUnknown') return { reason, message };
  if (reason === externalResize) return { reason: 'ExternalResizeReverted', message };
  if (ending.result === 'Infeasible' && /swap/i.test(message)) return { reason: 'SwapBlocksMemory', message };
  return undefined;
}
