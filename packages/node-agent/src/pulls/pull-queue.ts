/** The queue of a pull limiter, as its admin socket shows it. Times in milliseconds. */
export interface PullQueue {
  /** Pulls at once; 0 means unlimited. */
  readonly limit: number;
  readonly limitSource: string;
  /** Pulls that count against the limit. */
  readonly counted: number;
  readonly paused: boolean;
  readonly runtimeUp: boolean;
  /** The oldest first. */
  readonly running: readonly StartedPull[];
  /** In the order in which they will start. */
  readonly waiting: readonly WaitingPull[];
}

export interface WaitingPull {
  /** Differs from that of each other pull of the limiter. */
  readonly id: number;
  readonly image: string;
  /** Calls that wait for it. */
  readonly callers: number;
  /** Pods that wait for it, as `namespace/name`. */
  readonly pods: readonly string[];
  /** UIDs of the same pods in the same order, where each has one. */
  readonly podUids: readonly string[];
  readonly waitedMs: number;
}

export interface StartedPull extends WaitingPull {
  readonly state: string;
  readonly runningMs: number;
  /** Absent where the container runtime does not show it. */
  readonly progress?: { readonly bytes: number; readonly totalBytes: number };
}

/** Steers the pull limiter of this node. Each method rejects while it does not answer. */
export interface PullLimiterPort {
  state(): Promise<PullQueue>;
  /** Sets the limit of the cluster for `forMs`. Rejects when the limiter takes none. */
  setClusterLimit(limit: number, forMs: number): Promise<PullQueue>;
  withdrawClusterLimit(): Promise<PullQueue>;
}
