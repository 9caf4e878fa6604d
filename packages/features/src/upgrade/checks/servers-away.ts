import { serverProblem, serverRemedy } from '../../leadership/server-liveness.js';
import type { UpgradeCheck } from '../upgrade-check.js';

/** Every other check reads what feature servers have written, which is out of date when none runs. */
export const serversAway: UpgradeCheck = {
  id: 'U016',
  severity: 'unknown',
  summary: 'No feature server acts on Features',
  check({ servers }, report) {
    const message = serverProblem(servers);
    if (message !== undefined) report({ message, fix: serverRemedy });
  },
};
