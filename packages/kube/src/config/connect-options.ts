import type { Clock } from '../clock/clock.js';

export interface KubeOptions {
  readonly clock?: Clock;
  /** Numbers from 0 up to 1, for jitter and for names; those of this machine when absent. */
  readonly random?: () => number;
  /** Who is named as the writer of fields; the server takes the user agent otherwise. */
  readonly fieldManager?: string;
  /** Requests per second; no limit when absent. */
  readonly qps?: number;
  /** Requests at once; twice `qps` when absent. */
  readonly burst?: number;
}

export interface ConnectOptions extends KubeOptions {
  /** Path of the kubeconfig file; `KUBECONFIG`, `~/.kube/config` or the pod's service account when absent. */
  readonly kubeconfig?: string;
  /** Context of the file to use instead of its current one. */
  readonly context?: string;
  readonly userAgent?: string;
}
