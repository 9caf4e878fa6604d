import type { UpgradeCheck } from '../upgrade-check.js';

/** What a gate left behind remains when no server knows the gate any more. */
export const unknownStillUsed: UpgradeCheck = {
  id: 'U010',
  severity: 'warning',
  summary: 'An unknown feature is still in use',
  check({ features }, report) {
    for (const { spec, status } of features) {
      if (status?.conditions?.find(({ type }) => type === 'Known')?.status !== 'False') continue;
      const [on, left] = [status.uses?.on ?? 0, status.dangling?.count ?? 0];
      if (on + left === 0) continue;
      const message = `nothing knows the gate any more; processes with it on: ${on}, objects that use it: ${left}`;
      report({ gate: spec.gate, message, fix: `slipway feature uses ${spec.gate} --value on` });
    }
  },
};
