import { createHash } from 'node:crypto';

/** One gate as a report carries it. Flags that are false are left out. */
export interface VectorGate {
  readonly name: string;
  readonly enabled: boolean;
  readonly default?: boolean;
  /** Alpha, Beta, GA or Deprecated; empty when the source does not know. */
  readonly stage: string;
  /** The value was typed, so no published value can change it. */
  readonly set?: boolean;
  readonly locked?: boolean;
  /** Code of the process was told both values: it must not count as running either. */
  readonly mixed?: boolean;
  /** Takes the value its Feature publishes, unless one was typed. */
  readonly follows?: boolean;
  /** Another value is published, and takes effect with the next start. */
  readonly pendingRestart?: boolean;
  /** The published value is not in effect; the FeatureUse says why. */
  readonly refused?: boolean;
  /** Flag that the gate comes with, so that no published value may change it. */
  readonly config?: string;
}

/** `spec` of a FeatureVector: the values of one kind of process. Shared by every process that agrees on all of them. */
export interface FeatureVectorSpec {
  readonly component: string;
  readonly binaryVersion: string;
  /** Sorted by name, in code unit order. */
  readonly gates: readonly VectorGate[];
}

/** A gate as a source lists it. */
export interface ReportedGate extends VectorGate {
  /** Whether the process asked for it. */
  readonly read?: boolean;
  /** Why the published value is not in effect. */
  readonly applyError?: string | undefined;
}

/** Sorts the gates and leaves out what says nothing. The gates that stand for others are settings, not features. */
export function vectorSpec(
  component: string,
  binaryVersion: string,
  listed: readonly ReportedGate[],
): FeatureVectorSpec {
  const gates = listed.filter(({ name }) => name !== 'AllAlpha' && name !== 'AllBeta').map(vectorGate);
  return { component, binaryVersion, gates: gates.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

/**
 * The name of a FeatureVector: `v-` and 32 hex digits of the SHA-256 of its spec as
 * JSON with sorted keys and no blanks. Whoever reads a vector checks it by this.
 */
export function vectorName(spec: unknown): string {
  return `v-${createHash('sha256').update(sortedJson(spec)).digest('hex').slice(0, 32)}`;
}

function vectorGate(gate: ReportedGate): VectorGate {
  return {
    name: gate.name,
    enabled: gate.enabled,
    ...(gate.default === undefined ? {} : { default: gate.default }),
    stage: gate.stage,
    ...(gate.set ? { set: true } : {}),
    ...(gate.locked ? { locked: true } : {}),
    ...(gate.mixed ? { mixed: true } : {}),
    ...(gate.follows ? { follows: true } : {}),
    ...(gate.pendingRestart ? { pendingRestart: true } : {}),
    ...(gate.applyError === undefined ? {} : { refused: true }),
    ...(gate.config === undefined ? {} : { config: gate.config }),
  };
}

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
