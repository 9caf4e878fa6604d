import { explicitGates, valueIn } from '../gate-values.js';
import type { UpgradeCheck } from '../upgrade-check.js';
import { nameGroup, type UpgradeView } from '../upgrade-view.js';

/** A component refuses to start where a gate is on and one that it needs is set off: `X is enabled, but depends on features that are disabled`. */
export const dependencyOff: UpgradeCheck = {
  id: 'U007',
  severity: 'blocker',
  summary: 'A gate that will be on needs one that is set off',
  check(view, report) {
    for (const group of view.groups) {
      for (const needed of explicitGates(view, group).filter(({ enabled }) => !enabled)) {
        for (const gate of needing(view, needed.name)) {
          if (!valueIn(view, group, gate, view.to)) continue;
          report({
            gate,
            component: group.component,
            message: `will be on and needs ${needed.name}, which is set off in ${nameGroup(group)}`,
            fix: `take ${needed.name}=false out of the flags, or set ${gate}=false too`,
          });
        }
      }
    }
  },
};

function needing({ catalogue, definitions }: UpgradeView, needed: string): readonly string[] {
  const sources = [...catalogue.gates, ...definitions];
  return [...new Set(sources.filter(([, { dependsOn }]) => dependsOn?.includes(needed)).map(([gate]) => gate))];
}
