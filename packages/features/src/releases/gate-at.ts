import { stageAt } from '../lifecycle/stages.js';
import { compareVersions, minorVersion } from '../lifecycle/versions.js';
import type { GateCatalogue, ReleasedGate, ReleasedStage } from './gate-catalogue.js';
import { minorBefore } from './minor-versions.js';

/** What a minor version makes of a gate. `unknown`: the facts do not say whether it still has it. */
export type GateAt =
  | { readonly kind: 'present'; readonly stage: string; readonly default: boolean; readonly locked: boolean }
  | { readonly kind: 'notYet' }
  | { readonly kind: 'removed' }
  | { readonly kind: 'unknown' };

/**
 * Returns a gate's state at a minor version. Stages that need a newer minimum compatibility version do not apply; the
 * default is one minor before the version, as in Kubernetes components.
 */
export function gateAt(
  catalogue: GateCatalogue,
  gate: ReleasedGate,
  version: string,
  minCompatibility = minorBefore(version),
): GateAt {
  const last = gate.lastIn ?? gate.lastSeenIn;
  if (last !== undefined && compareVersions(version, last) > 0) {
    return compareVersions(version, catalogue.newest) >= 0 || gate.lastIn !== undefined
      ? { kind: 'removed' }
      : { kind: 'unknown' };
  }
  if (isBeyond(catalogue, version)) return { kind: 'unknown' };
  const found = stageAt(holding(gate.stages, minCompatibility), minorVersion(version));
  if (!found) return { kind: 'unknown' };
  return found.stage === 'PreAlpha'
    ? { kind: 'notYet' }
    : { kind: 'present', stage: found.stage, default: found.default, locked: found.locked };
}

/** Whether a version is newer than all that the facts tell of. */
export function isBeyond({ newest }: GateCatalogue, version: string): boolean {
  return compareVersions(minorVersion(version), newest) > 0;
}

function holding(stages: readonly ReleasedStage[], minCompatibility: string): readonly ReleasedStage[] {
  return stages.filter(
    (stage) => stage.minCompatibility === undefined || compareVersions(stage.minCompatibility, minCompatibility) <= 0,
  );
}
