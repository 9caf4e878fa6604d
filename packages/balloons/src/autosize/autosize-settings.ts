import type { AutosizePolicy, BalloonPolicy } from '../api/balloon-policy.js';
import { parseAmounts } from '../planner/amounts.js';
import type { AutosizeSettings } from './decide-size.js';

/** Returns the settings of a policy; undefined when it does not autosize. */
export function autosizeSettings({ spec, metadata }: BalloonPolicy): AutosizeSettings | undefined {
  const { autosize, enabled } = spec;
  const isOn = autosize !== undefined && enabled !== false && metadata.deletionTimestamp === undefined;
  return isOn ? readAutosize(autosize) : undefined;
}

/** Settings with every default filled in. */
export function readAutosize({
  mode,
  headroomPercent,
  headroom,
  stabilizationSeconds,
}: AutosizePolicy): AutosizeSettings {
  return {
    isEnforced: mode === 'Enforce',
    headroomPercent: BigInt(headroomPercent ?? 15),
    headroom: parseAmounts({ cpu: '250m', memory: '512Mi', ...headroom }),
    stabilizationMs: (stabilizationSeconds ?? 600) * 1000,
  };
}
