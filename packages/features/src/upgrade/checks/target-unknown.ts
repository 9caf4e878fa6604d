import { isBeyond } from '../../releases/gate-at.js';
import type { UpgradeCheck } from '../upgrade-check.js';

/** Facts come with a release of Slipway, and Kubernetes has three releases a year. */
export const targetUnknown: UpgradeCheck = {
  id: 'U017',
  severity: 'unknown',
  summary: 'The gates of the target are not known to this release of Slipway',
  check({ catalogue, to }, report) {
    if (!isBeyond(catalogue, to)) return;
    report({
      message: `gates are known up to v${catalogue.newest}, as of ${catalogue.takenOn}: which of them v${to} removes, locks or turns on is not known`,
      fix: `use a release of Slipway that knows v${to}, or read the notes of v${to}`,
    });
  },
};
