import { findCondition } from '@slipway/kube';
import type { Feature } from '../../api/feature.js';
import type { UpgradeCheck } from '../upgrade-check.js';

/**
 * A transition that an upgrade interrupts ends in a version that may know neither its start nor its end. Whatever makes
 * a Feature not `UpgradeSafe` is a blocker, so that a listing and this check say the same.
 */
export const featureInTransition: UpgradeCheck = {
  id: 'U004',
  severity: 'blocker',
  summary: 'A feature is in transition, blocked, or inconsistent with its processes',
  check({ features, to }, report) {
    for (const feature of features) {
      const { spec, status } = feature;
      const { state, transition } = status ?? {};
      const head = transition?.tasks[0];
      if (state === 'TurningOn' || state === 'TurningOff') {
        const waits = head ? `: ${head.name}${head.message ? `: ${head.message}` : ''}` : '';
        report({
          gate: spec.gate,
          message: `is ${state}${waits}`,
          fix: `slipway feature watch ${spec.gate}, and upgrade when it has settled`,
        });
        continue;
      }
      const message = notAtRest(feature, to);
      if (message !== undefined) report({ gate: spec.gate, message, fix: `slipway feature get ${spec.gate}` });
    }
  },
};

/** What is wrong with a feature that is not on its way, but for what U005 and U011 say in their own words. */
function notAtRest({ status }: Feature, to: string): string | undefined {
  const blocked = findCondition(status?.conditions, 'Blocked');
  if (blocked?.status === 'True') return `is blocked: ${blocked.message}`;
  const safe = findCondition(status?.conditions, 'UpgradeSafe');
  if (safe?.status !== 'False' || safe.reason === 'Found') return undefined;
  if (safe.reason === 'UpgradeTasks' && status?.maintenance?.to === to) return undefined;
  return `${safe.reason}: ${safe.message}`;
}
