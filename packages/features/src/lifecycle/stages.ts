import type { EffectiveStage } from '../api/feature.js';
import type { StageEntry } from '../api/feature-definition.js';
import { compareVersions, minorVersion } from './versions.js';

/**
 * Stage, default and lock of a gate at a version. Older than the first entry is
 * `PreAlpha`: off and not settable. Undefined without a history.
 */
export function stageAt(stages: readonly StageEntry[] | undefined, version: string): EffectiveStage | undefined {
  if (!stages || stages.length === 0) return undefined;
  const minor = minorVersion(version);
  const reached = stages.filter((entry) => compareVersions(entry.version, minor) <= 0).at(-1);
  if (!reached) return { version: minor, stage: 'PreAlpha', default: false, locked: true };
  return {
    version: minor,
    stage: reached.stage,
    default: reached.default,
    locked: reached.locked ?? reached.stage === 'Removed',
  };
}

/**
 * The value of a gate in a process that does not register it: before the first stage it is off, after a locked stage it
 * is what it was locked to, once it is removed what the history says, and a deprecated feature that was off is gone. Undefined when the history does not tell.
 */
export function valueWhenUnregistered(
  stages: readonly StageEntry[] | undefined,
  binaryVersion: string,
): boolean | undefined {
  const effective = stageAt(stages, binaryVersion);
  if (effective?.locked) return effective.default;
  return effective?.stage === 'Deprecated' && !effective.default ? false : undefined;
}
