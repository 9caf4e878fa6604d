import type { PullSandbox } from '../cri/pull-image-request.js';

/** An event for a pod, as data: whoever knows the cluster makes an object of it. */
export interface PullEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason:
    | 'Pulling'
    | 'Pulled'
    | 'Failed'
    | 'BackOff'
    | 'ErrImageNeverPull'
    | 'InspectFailed'
    /** Ours: the pull waits for a slot. */
    | 'PullWaiting'
    /** Ours: the same image is being pulled for another caller, and that pull is shared. */
    | 'PullCoalesced';
  readonly message: string;
  readonly pod: PullSandbox;
  readonly container: string;
}

/** An event for the node. */
export interface NodePullEvent {
  readonly type: 'Normal';
  readonly reason: 'PullLimitChanged';
  readonly message: string;
}

/** A duration as the kubelet writes it, cut to milliseconds: `350ms`, `4.81s`, `1m2.5s`. */
export function durationText(ms: number): string {
  const whole = Math.trunc(ms);
  if (whole < 1_000) return whole === 0 ? '0s' : `${whole}ms`;
  const hours = Math.floor(whole / 3_600_000);
  const minutes = Math.floor((whole % 3_600_000) / 60_000);
  const seconds = `${(whole % 60_000) / 1_000}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}
