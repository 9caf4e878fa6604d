import { type OnFull, proposedRetry } from '../limiter/on-full.js';
import { defaultSharing, type Sharing } from '../limiter/pull-key.js';
import { defaultQueueSettings, type QueueSettings } from '../limiter/queue-state.js';

/** Everything that a daemon can be told, checked and with defaults filled in. */
export interface PullsSettings {
  /** Path of the socket for the kubelet, or `fd:3` when systemd holds it. */
  readonly listen: string;
  /** Path of the runtime's socket. */
  readonly runtime: string;
  /** Pulls at once, or where that stands. 0 means unlimited. */
  readonly limit: number | 'fromKubelet';
  readonly kubelet: KubeletFiles;
  /** Which services the kubelet asks here: `install` sets its endpoints so. */
  readonly front: 'images' | 'both';
  /** `cri` passes only CRI and health calls on. */
  readonly services: 'cri' | 'all';
  readonly onFull: OnFull;
  /** What a call with an option of its own does while no slot is free. */
  readonly retry: OnFull;
  readonly present: { readonly mode: 'verify' | 'place' | 'succeed'; readonly recentMs: number };
  /** Codes of our own refusals: as a kubelet shows them best, or as gRPC means them. */
  readonly errors: 'kubelet' | 'precise';
  /** Paths of other calls that pull: each takes a slot. */
  readonly pullLike: readonly string[];
  /** A pull of which no byte came for so long is stalled. */
  readonly stallAfterMs: number;
  /** Where records of pulls are kept, and how much of them; undefined keeps none. */
  readonly journal: { readonly dir: string; readonly sizeBytes: number } | undefined;
  readonly sharing: Sharing;
  readonly queue: QueueSettings;
  readonly drainTimeoutMs: number;
  /** `HOST:PORT` or the path of a socket; undefined serves no metrics. */
  readonly metrics: string | undefined;
  /** Path of the socket for `slipway pulls top` and the others. */
  readonly admin: string;
}

/** Where the kubelet's configuration is. */
export interface KubeletFiles {
  readonly config: string;
  /** The folder of its drop-ins, or empty. */
  readonly configDir: string;
  /** What its deprecated flag `--serialize-image-pulls` says, which wins over the files. */
  readonly serializeImagePulls?: boolean;
}

/** The socket that systemd passes to a service. */
export const passedSocket = 'fd:3';

export const defaultJournalBytes = 64 << 20;

/** Where kubeadm puts the kubelet's configuration. */
export const defaultKubeletConfig = '/var/lib/kubelet/config.yaml';

/** What a daemon does when nothing says otherwise: nothing, because no limit is the default. */
export const defaultPullsSettings: PullsSettings = {
  listen: '/run/slipway/pulls/image.sock',
  runtime: '/run/containerd/containerd.sock',
  limit: 0,
  kubelet: { config: defaultKubeletConfig, configDir: '' },
  front: 'images',
  services: 'all',
  onFull: { mode: 'wait' },
  retry: proposedRetry,
  present: { mode: 'verify', recentMs: 60_000 },
  errors: 'kubelet',
  pullLike: [],
  stallAfterMs: 60_000,
  journal: undefined,
  sharing: defaultSharing,
  queue: defaultQueueSettings,
  drainTimeoutMs: 30 * 60_000,
  metrics: undefined,
  admin: '/run/slipway/pulls/image.sock.admin',
};

/** Returns the default path of a daemon's admin socket. */
export function adminOf(listen: string): string {
  return listen === passedSocket ? defaultPullsSettings.admin : `${listen}.admin`;
}

/** The file whose being there lets everything pass as it is, also after a restart; see `slipway pulls bypass`. */
export function bypassFileOf(admin: string): string {
  return `${admin}.bypass`;
}
