import type { FeatureStatus } from '../api/feature.js';
import type { FeatureDefinitionSpec } from '../api/feature-definition.js';
import { minorVersion } from './versions.js';

/** For how many minor versions an unknown Feature is kept: as far as a cluster may be rolled back. */
const keptForMinors = 3;

export interface Remains {
  readonly status: FeatureStatus;
  /** The version of the cluster now. */
  readonly coreVersion?: string | undefined;
  /** The last one that was there, for what a use looks like. */
  readonly definition?: FeatureDefinitionSpec | undefined;
}

/**
 * Why an unknown Feature is kept. Undefined once it is provably
 * unused: unknown for three versions, run by no process, and either part of the
 * product for good or off with nothing left behind.
 */
export function reasonToKeep({ status, coreVersion, definition }: Remains): string | undefined {
  const { lastKnownVersion, transition, effective, state, uses } = status;
  if (transition) return `it is on its way to ${transition.to}`;
  if (coreVersion === undefined || lastKnownVersion === undefined) return 'the version that knew it last is not known';
  if (minorsSince(lastKnownVersion, coreVersion) < keptForMinors) {
    return `${lastKnownVersion} knew it, and it is kept for ${keptForMinors} versions; this is ${coreVersion}`;
  }
  if ((uses?.on ?? 0) > 0) return `${uses?.on} processes still run it`;
  if (effective?.stage === 'GA' && effective.locked) return undefined;
  if (state !== 'Off') return `it is ${state ?? 'Unknown'}, not Off`;
  return leftBehind(status, definition);
}

function leftBehind({ dangling }: FeatureStatus, definition: FeatureDefinitionSpec | undefined): string | undefined {
  if (definition && (definition.references ?? []).length === 0) return undefined;
  if (!dangling) return 'not scanned for leftovers yet';
  if (dangling.count > 0) return `${dangling.count} objects still use it`;
  return dangling.complete ? undefined : 'the last look for what was left behind was not complete';
}

/** How many minor versions one is after another; a new major version is further than any. */
function minorsSince(from: string, to: string): number {
  const [fromMajor = 0, fromMinor = 0] = minorVersion(from).split('.').map(Number);
  const [toMajor = 0, toMinor = 0] = minorVersion(to).split('.').map(Number);
  return toMajor > fromMajor ? Number.POSITIVE_INFINITY : toMajor < fromMajor ? -1 : toMinor - fromMinor;
}
