/**
 * `spec` of a FlowSchema of flowcontrol.apiserver.k8s.io/v1: which requests flow together, and at which priority level.
 */
export interface FlowSchemaSpec {
  readonly priorityLevelConfiguration: { readonly name: string };
  /** Of several that match, the lowest counts. */
  readonly matchingPrecedence: number;
  /** What tells its flows apart; absent = it is one flow. */
  readonly distinguisherMethod?: { readonly type: 'ByUser' | 'ByNamespace' };
  readonly rules?: readonly FlowRule[];
}

/** Subjects and the requests of theirs that match. */
export interface FlowRule {
  readonly subjects: readonly FlowSubject[] | null;
  readonly resourceRules?: readonly ResourceRule[];
  readonly nonResourceRules?: readonly PathRule[];
}

export interface FlowSubject {
  readonly kind: string;
  readonly user?: { readonly name: string };
  readonly group?: { readonly name: string };
  readonly serviceAccount?: { readonly namespace: string; readonly name: string };
}

/** Absent lists are stored as null. */
export interface ResourceRule {
  readonly verbs: readonly string[] | null;
  readonly apiGroups: readonly string[] | null;
  readonly resources: readonly string[] | null;
  readonly namespaces: readonly string[] | null;
  readonly clusterScope?: boolean;
}

export interface PathRule {
  readonly verbs: readonly string[] | null;
  readonly nonResourceURLs: readonly string[] | null;
}

/** `spec` of a PriorityLevelConfiguration: how many requests of a level run at once, and how many wait. */
export interface PriorityLevelSpec {
  readonly type: 'Exempt' | 'Limited';
  readonly exempt?: LevelShares;
  readonly limited?: LimitedLevel;
}

/** What a level has of the seats of a server. */
export interface LevelShares {
  readonly nominalConcurrencyShares?: number;
  /** How much of it others may borrow. */
  readonly lendablePercent?: number;
}

export interface LimitedLevel extends LevelShares {
  /** How much it may borrow itself, of its nominal share; absent = whatever there is. */
  readonly borrowingLimitPercent?: number;
  readonly limitResponse: { readonly type: 'Queue' | 'Reject'; readonly queuing?: Queuing };
}

export interface Queuing {
  readonly queues: number;
  /** Into how many of the queues one flow may put its requests. */
  readonly handSize: number;
  readonly queueLengthLimit: number;
}
