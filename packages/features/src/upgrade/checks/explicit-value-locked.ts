import { minorsBetween } from '../../releases/minor-versions.js';
import { explicitGates, gateIn } from '../gate-values.js';
import type { UpgradeCheck } from '../upgrade-check.js';
import { nameGroup } from '../upgrade-view.js';

/** A component refuses to start with another value than the one a gate is locked to: `cannot set feature gate X to false, feature is locked to true`. */
export const explicitValueLocked: UpgradeCheck = {
  id: 'U002',
  severity: 'blocker',
  summary: 'A gate is set explicitly to another value than the target locks it to',
  check(view, report) {
    const versions = minorsBetween(view.from, view.to);
    for (const group of view.groups) {
      for (const { name, enabled } of explicitGates(view, group)) {
        const version = versions.find((each) => {
          const found = gateIn(view, name, each);
          return found.kind === 'present' && found.locked && found.default !== enabled;
        });
        if (version === undefined) continue;
        report({
          gate: name,
          component: group.component,
          message: `v${version} locks the gate to ${!enabled}, and refuses to start with ${name}=${enabled} of ${nameGroup(group)}`,
          fix: `take ${name} out of the flags, and see with: slipway feature get ${name}`,
        });
      }
    }
  },
};
