import { type OnFull, proposedRetry } from '../limiter/on-full.js';
import { defaultSharing, type Sharing } from '../limiter/pull-key.js';
import { defaultQueueSettings, type QueueSettings } from '../limiter/queue-state.js';

/** Everything that a daemon can be told, checked and with defaults filled in. */
export interface PullsSettings {
  /** Path of the socket for the kubelet. */
  readonly listen: string;
  /** Path of the runtime's socket. */
  readonly runtime: string;
  /** Pulls at once, or where that stands. 0 is no limit. */
  readonly limit: number | 'fromKubelet';
  readonly kubelet: { readonly config: string; readonly configDir: string };
  /** `cri` passes only CRI and health calls on. */
  readonly services: 'cri' | 'all';
  readonly onFull: OnFull;
  /** What a call with an option of its own does while no place is free. */
  readonly retry: OnFull;
  readonly present: { readonly mode: 'verify' | 'place'; readonly recentMs: number };
  readonly sharing: Sharing;
  readonly queue: QueueSettings;
  readonly drainTimeoutMs: number;
  /** `HOST:PORT` or the path of a socket; undefined serves no metrics. */
  readonly metrics: string | undefined;
  /** Path of the socket for `slipway pulls top` and the others. */
  readonly admin: string;
}

/** What a daemon does when nothing says otherwise: nothing, because no limit is the default. */
export const defaultPullsSettings: PullsSettings = {
  listen: '/run/slipway/pulls/image.sock',
  runtime: '/run/containerd/containerd.sock',
  limit: 0,
  kubelet: { config: '/var/lib/kubelet/config.yaml', configDir: '' },
  services: 'all',
  onFull: { mode: 'wait' },
  retry: proposedRetry,
  present: { mode: 'verify', recentMs: 60_000 },
  sharing: defaultSharing,
  queue: defaultQueueSettings,
  drainTimeoutMs: 30 * 60_000,
  metrics: undefined,
  admin: '/run/slipway/pulls/image.sock.admin',
};

/** Where the admin socket of a daemon is when nothing says otherwise. */
export function adminOf(listen: string): string {
  return `${listen}.admin`;
}
