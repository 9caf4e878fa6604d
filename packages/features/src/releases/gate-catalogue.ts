import type { StageEntry } from '../api/feature-definition.js';
import facts from './kubernetes-gates.json' with { type: 'json' };

/** A stage that holds only where the minimum compatibility version is at least this. */
export interface ReleasedStage extends StageEntry {
  readonly minCompatibility?: string;
}

/** What is known of one gate of Kubernetes. What is left out is unknown, not empty. */
export interface ReleasedGate {
  /** Oldest first. */
  readonly stages: readonly ReleasedStage[];
  readonly components?: readonly string[];
  /** Numbers of enhancements, or `number:directory` where a number was used twice. */
  readonly keps?: readonly (number | string)[];
  readonly dependsOn?: readonly string[];
  /** Whether its KEP says that it can be turned off after it was on. */
  readonly disable?: 'Supported' | 'Unsupported';
  /** The last minor version that is proven to have it. Gone in the newest one. */
  readonly lastIn?: string;
  /** The last minor version whose development was seen to have it; when it went is not known. Gone in the newest one. */
  readonly lastSeenIn?: string;
}

/** Gates by name, as of one moment of development. */
export interface GateCatalogue {
  /** The newest minor version the facts tell of; it was not released when they were taken. */
  readonly newest: string;
  /** Date, `2026-07-24`. */
  readonly takenOn: string;
  readonly gates: ReadonlyMap<string, ReleasedGate>;
}

/** The gates of Kubernetes' own components. `tools/kubernetes-gates.mjs` writes the facts. */
export const kubernetesGates: GateCatalogue = {
  newest: facts.snapshot.developmentVersion,
  takenOn: facts.snapshot.date,
  gates: new Map(Object.entries(facts.gates as unknown as Readonly<Record<string, ReleasedGate>>)),
};
