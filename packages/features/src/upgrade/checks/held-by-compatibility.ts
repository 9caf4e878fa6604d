import { gateIn, gatesSeen, heldCompatibility } from '../gate-values.js';
import type { UpgradeCheck } from '../upgrade-check.js';

/** Some defaults hold only once a cluster says that it will not go back: `--min-compatibility-version`. */
export const heldByCompatibility: UpgradeCheck = {
  id: 'U012',
  severity: 'info',
  summary: 'A minimum compatibility version keeps a feature at its old default',
  check(view, report) {
    for (const gate of gatesSeen(view)) {
      const held = view.groups.filter(({ gates }) => gates?.has(gate)).map(heldCompatibility);
      const free = gateIn(view, gate, view.to, view.to);
      const until = [...new Set(held)].filter((minCompatibility) => {
        const kept = gateIn(view, gate, view.to, minCompatibility);
        return kept.kind === 'present' && free.kind === 'present' && kept.default !== free.default;
      });
      if (until.length === 0 || free.kind !== 'present') continue;
      const word = free.default ? 'on' : 'off';
      const message = `is ${word} by default in v${view.to} only with --min-compatibility-version=${view.to}`;
      report({ gate, message, fix: `set --min-compatibility-version=${view.to} when you will not go back` });
    }
  },
};
