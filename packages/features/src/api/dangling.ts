export interface Dangling {
  readonly count: number;
  /** Whether every referenced collection was read to its end. */
  readonly complete: boolean;
  readonly scannedAt: string;
  readonly samples: readonly DanglingSample[];
  /** How many of them a waiver lets be. */
  readonly waived?: number;
  /** Copies that do not count: old revisions, last-applied annotations. */
  readonly copies?: number;
  readonly note?: string;
  /** Custom kinds that embed a type of a reference, and that no reference names; what to do about them. */
  readonly uncovered?: string;
}

export interface DanglingSample {
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
  readonly path: string;
  readonly managers: readonly string[];
  readonly via: 'Spec' | 'Derived' | 'LastApplied';
}
