import { gateAt } from '../../releases/gate-at.js';
import { gatesSeen, valueIn } from '../gate-values.js';
import type { UpgradeCheck } from '../upgrade-check.js';
import type { UpgradeView } from '../upgrade-view.js';

/** A gate that is not set follows the default of its version. */
export const defaultFlips: UpgradeCheck = {
  id: 'U003',
  severity: 'warning',
  summary: 'A gate that is not set gets another default',
  check(view, report) {
    const seen = gatesSeen(view);
    for (const gate of seen) {
      const flipping = view.groups.filter((group) => {
        const now = group.gates?.get(gate)?.enabled;
        const then = valueIn(view, group, gate, view.to);
        return now !== undefined && then !== undefined && now !== then;
      });
      const [first] = flipping;
      if (!first) continue;
      const components = [...new Set(flipping.map(({ component }) => component))].sort().join(', ');
      const word = valueIn(view, first, gate, view.to) ? 'on' : 'off';
      report({ gate, message: `turns ${word} in ${components}`, fix: `slipway feature get ${gate}` });
    }
    const added = newAndOn(view, new Set(seen));
    if (added.length > 0) {
      const message = `on by default in v${view.to}, not in v${view.from}, and no process reports them today`;
      report({ message, gates: added, fix: 'read about them in the notes of the release' });
    }
  },
};

function newAndOn({ catalogue, from, to }: UpgradeView, seen: ReadonlySet<string>): readonly string[] {
  const isOn = (gate: string, version: string) => {
    const released = catalogue.gates.get(gate);
    const found = released && gateAt(catalogue, released, version);
    return found?.kind === 'present' && found.default;
  };
  return [...catalogue.gates.keys()].filter((gate) => !seen.has(gate) && isOn(gate, to) && !isOn(gate, from)).sort();
}
