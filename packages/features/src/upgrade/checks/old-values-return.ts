import { valueIn } from '../gate-values.js';
import type { UpgradeCheck } from '../upgrade-check.js';

/** Values left behind while a feature was off are obeyed again, and nobody has looked at them since. */
export const oldValuesReturn: UpgradeCheck = {
  id: 'U005',
  severity: 'blocker',
  summary: 'A feature with old values left behind comes on by default',
  check(view, report) {
    for (const { spec, status } of view.features) {
      const { gate } = spec;
      if (status?.state !== 'Off' || !view.definitions.get(gate)?.references?.length) continue;
      if (!view.groups.some((group) => group.gates?.has(gate) && valueIn(view, group, gate, view.to))) continue;

      const { dangling } = status;
      const fix = `slipway feature clean ${gate}`;
      if (dangling && dangling.count > 0) {
        const message = `v${view.to} turns the gate on by default; objects with old values: ${dangling.count}`;
        report({ gate, message, fix });
      } else if (!dangling?.complete) {
        const message = `v${view.to} turns the gate on by default, and nobody has looked through all objects for old values`;
        report({ gate, severity: 'unknown', message, fix });
      }
    }
  },
};
