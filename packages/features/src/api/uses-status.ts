export interface UsesStatus {
  readonly epoch: number;
  readonly epochAt?: string;
  readonly expected: number;
  readonly reporting: number;
  readonly on: number;
  readonly off: number;
  readonly unregistered: number;
  readonly silent: number;
  readonly waived: number;
  readonly read: number;
  readonly components: readonly ComponentUses[];
}

export interface ComponentUses {
  readonly name: string;
  readonly required: boolean;
  readonly expected: number;
  readonly on: number;
  readonly off: number;
  readonly unregistered: number;
  readonly silent: number;
  /** Processes that do not run the value, for which a waiver holds; they are in no other class. */
  readonly waived: number;
  /** Processes that run the value only until they restart: their own flags or defaults give the other one. */
  readonly pendingRestart?: number;
  readonly read: number;
  readonly versions: readonly { readonly v: string; readonly on: number; readonly off: number }[];
  /** Processes that keep the feature from agreeing, at most five. */
  readonly samples: readonly ProcessSample[];
}

export interface ProcessSample {
  readonly process: string;
  readonly node?: string;
  readonly value: 'on' | 'off' | 'mixed' | 'unregistered' | 'silent';
  /** Why it stays as it is, where that is known. */
  readonly cause?: SampleCause;
  readonly version?: string;
  /** Id of the waiver that lets it be. */
  readonly waiver?: string;
}

export type SampleCause =
  | 'ExplicitFlag'
  | 'PendingRestart'
  | 'NotFollowing'
  | 'ChangeRefused'
  | 'TooOld'
  | 'GateRemoved'
  | 'NotPublished'
  | 'NodeDown'
  | 'AgentMissing'
  | 'NoReport'
  | 'OutOfReach'
  | 'ReportExpired'
  | 'NotYetConfirmed'
  | 'OverLimit';
