import { minorsBetween } from '../../releases/minor-versions.js';
import { explicitGates, gateIn } from '../gate-values.js';
import type { Reported, UpgradeCheck } from '../upgrade-check.js';
import { nameGroup } from '../upgrade-view.js';

/** A component refuses to start with a flag for a gate that it does not have: `unrecognized feature gate: X`. */
export const explicitGateUnknown: UpgradeCheck = {
  id: 'U001',
  severity: 'blocker',
  summary: 'A gate is set explicitly that the target does not have',
  check(view, report) {
    for (const group of view.groups) {
      for (const { name, enabled } of explicitGates(view, group)) {
        const said = firstAbsence(name, `${name}=${enabled} of ${nameGroup(group)}`);
        if (said) report({ gate: name, component: group.component, ...said });
      }
    }

    function firstAbsence(gate: string, setting: string): Reported | undefined {
      const way = minorsBetween(view.from, view.to).map((version) => ({ version, ...gateIn(view, gate, version) }));
      // What is certain of a later version outweighs what is not known of an earlier one.
      const missing = way.find(({ kind }) => kind === 'removed' || kind === 'notYet');
      if (missing) {
        const { version, kind } = missing;
        const why =
          kind === 'removed' ? `v${version} no longer has the gate` : `v${version} does not have the gate yet`;
        return { message: `${why}, and refuses to start with ${setting}`, fix: `take ${gate} out of the flags before` };
      }
      const unsure = way.find(({ kind }) => kind === 'unknown');
      if (!unsure) return undefined;
      const message = `whether v${unsure.version} still has the gate is not known: ${setting}`;
      return { severity: 'unknown', message, fix: `take ${gate} out of the flags if its default will do` };
    }
  },
};
