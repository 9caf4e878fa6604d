import { gatesSeen, valueIn } from '../gate-values.js';
import type { UpgradeCheck } from '../upgrade-check.js';
import type { UpgradeView } from '../upgrade-view.js';

/** What a feature has done while it was on may not be undone by turning it off. */
export const oneWayDoor: UpgradeCheck = {
  id: 'U008',
  severity: 'warning',
  summary: 'A feature becomes on by default that cannot be turned off again',
  check(view, report) {
    for (const gate of gatesSeen(view)) {
      if (!isOneWay(view, gate)) continue;
      const comesOn = view.groups.some(
        (group) => group.gates?.get(gate)?.enabled === false && valueIn(view, group, gate, view.to),
      );
      if (!comesOn) continue;
      const message = `turns on in v${view.to}, and its author does not support turning it off once it was used`;
      report({ gate, message, fix: `set ${gate}=false before the upgrade, while you decide` });
    }
  },
};

/** What the author declares counts more than what a KEP said. */
function isOneWay({ catalogue, definitions }: UpgradeView, gate: string): boolean {
  return (definitions.get(gate)?.disable ?? catalogue.gates.get(gate)?.disable) === 'Unsupported';
}
