import { isBeyond } from '../../releases/gate-at.js';
import { gateIn } from '../gate-values.js';
import type { UpgradeCheck } from '../upgrade-check.js';
import { nameGroup, type UpgradeView } from '../upgrade-view.js';

const stagesOf = { AllAlpha: 'Alpha', AllBeta: 'Beta' } as const;

/** `AllAlpha` and `AllBeta` mean other gates in another version. */
export const groupGateWidens: UpgradeCheck = {
  id: 'U014',
  severity: 'warning',
  summary: 'AllAlpha or AllBeta is on, and means other gates in the target',
  check(view, report) {
    if (isBeyond(view.catalogue, view.to)) return;
    for (const group of view.groups) {
      for (const [gate, stage] of Object.entries(stagesOf)) {
        if (!group.gates?.get(gate)?.enabled) continue;
        const [now, then] = [gatesOf(view, stage, view.from), gatesOf(view, stage, view.to)];
        const added = then.filter((name) => !now.includes(name));
        const gone = now.filter((name) => !then.includes(name));
        if (added.length + gone.length === 0) continue;
        const message = `${nameGroup(group)} runs with ${gate}=true: ${change('more', added)}, ${change('fewer', gone)}`;
        report({ gate, component: group.component, message, fix: 'set the gates that you need one by one' });
      }
    }
  },
};

function gatesOf(view: UpgradeView, stage: string, version: string): readonly string[] {
  return [...view.catalogue.gates.keys()].sort().filter((name) => {
    const found = gateIn(view, name, version);
    return found.kind === 'present' && found.stage === stage;
  });
}

function change(word: string, gates: readonly string[]): string {
  return `${gates.length} ${word}${gates.length > 0 ? ` (${gates.join(', ')})` : ''}`;
}
