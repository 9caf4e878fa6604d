import { valueIn } from '../gate-values.js';
import type { UpgradeCheck } from '../upgrade-check.js';

/** Values left behind while a feature was off are obeyed again once it is on, and they were not checked since. */
export const oldValuesReturn: UpgradeCheck = {
  id: 'U005',
  severity: 'blocker',
  summary: 'A feature that is off has old values left behind',
  check(view, report) {
    for (const { spec, status } of view.features) {
      const { gate } = spec;
      if (status?.state !== 'Off' || !view.definitions.get(gate)?.references?.length) continue;
      const comesOn = view.groups.some((group) => group.gates?.has(gate) && valueIn(view, group, gate, view.to));
      const what = comesOn ? `v${view.to} turns the gate on by default` : `v${view.to} leaves the gate off`;

      const { dangling } = status;
      const fix = `slipway feature clean ${gate}`;
      if (dangling && dangling.count > 0) {
        report({ gate, message: `${what}; objects with old values: ${dangling.count}`, fix });
      } else if (comesOn && !dangling?.complete) {
        const message = `${what}, and not all objects were scanned for old values`;
        report({ gate, severity: 'unknown', message, fix });
      }
    }
  },
};
