import { explicitGates, gateIn } from '../gate-values.js';
import type { UpgradeCheck } from '../upgrade-check.js';
import { nameGroup } from '../upgrade-view.js';

/** Setting a gate that is deprecated, or GA, logs a warning today; the version that removes the gate will not start with it. */
export const explicitGateLeaving: UpgradeCheck = {
  id: 'U013',
  severity: 'warning',
  summary: 'A gate is set explicitly that will be removed',
  check(view, report) {
    for (const group of view.groups) {
      for (const { name, enabled } of explicitGates(view, group)) {
        const found = gateIn(view, name, view.to);
        if (found.kind !== 'present' || (found.stage !== 'Deprecated' && found.stage !== 'GA')) continue;
        // Another check has said that it does not even start.
        if (found.locked && found.default !== enabled) continue;
        const message = `is ${found.stage} in v${view.to} and will be removed; ${name}=${enabled} is set in ${nameGroup(group)}`;
        const fix =
          found.default === enabled ? `take ${name} out of the flags` : `plan to live without ${name}=${enabled}`;
        report({ gate: name, component: group.component, message, fix });
      }
    }
  },
};
