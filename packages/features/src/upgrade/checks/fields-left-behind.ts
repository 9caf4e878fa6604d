import { compareVersions } from '../../lifecycle/versions.js';
import { gateIn } from '../gate-values.js';
import type { UpgradeCheck } from '../upgrade-check.js';

/** An older version without the gate neither shows nor obeys the fields, and drops them at the next write. */
export const fieldsLeftBehind: UpgradeCheck = {
  id: 'U015',
  severity: 'blocker',
  summary: 'On a downgrade, a feature is in use that the target does not have',
  check(view, report) {
    if (compareVersions(view.to, view.from) >= 0) return;
    for (const { spec, status } of view.features) {
      const { gate } = spec;
      if (status?.state !== 'On' || !view.definitions.get(gate)?.references?.length) continue;
      if (gateIn(view, gate, view.to).kind !== 'notYet') continue;
      const message = `is on, v${view.to} does not have it, and fields that use it would be lost at the next write`;
      report({ gate, message, fix: `slipway feature off ${gate} --wait, then go back` });
    }
  },
};
