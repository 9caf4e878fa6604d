import type { UpgradeCheck } from '../upgrade-check.js';

/** A transition that an upgrade interrupts ends in a version that may know neither its start nor its end. */
export const featureInTransition: UpgradeCheck = {
  id: 'U004',
  severity: 'blocker',
  summary: 'A feature is on its way, or blocked',
  check({ features }, report) {
    for (const { spec, status } of features) {
      const { state, transition } = status ?? {};
      const blocked = status?.conditions?.find(({ type }) => type === 'Blocked');
      const head = transition?.tasks[0];
      if (state === 'TurningOn' || state === 'TurningOff') {
        const waits = head ? `: ${head.name}${head.message ? `: ${head.message}` : ''}` : '';
        report({
          gate: spec.gate,
          message: `is ${state}${waits}`,
          fix: `slipway feature watch ${spec.gate}, and upgrade when it has settled`,
        });
      } else if (blocked?.status === 'True') {
        report({ gate: spec.gate, message: `is blocked: ${blocked.message}`, fix: `slipway feature get ${spec.gate}` });
      }
    }
  },
};
