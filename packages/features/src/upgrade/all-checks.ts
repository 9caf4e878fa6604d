import { defaultFlips } from './checks/default-flips.js';
import { dependencyOff } from './checks/dependency-off.js';
import { explicitGateLeaving } from './checks/explicit-gate-leaving.js';
import { explicitGateUnknown } from './checks/explicit-gate-unknown.js';
import { explicitValueLocked } from './checks/explicit-value-locked.js';
import { featureInTransition } from './checks/feature-in-transition.js';
import { fieldsLeftBehind } from './checks/fields-left-behind.js';
import { groupGateWidens } from './checks/group-gate-widens.js';
import { heldByCompatibility } from './checks/held-by-compatibility.js';
import { oldValuesReturn } from './checks/old-values-return.js';
import { oneWayDoor } from './checks/one-way-door.js';
import { processesUnaccounted } from './checks/processes-unaccounted.js';
import { serversAway } from './checks/servers-away.js';
import { storedUnreadable } from './checks/stored-unreadable.js';
import { targetUnknown } from './checks/target-unknown.js';
import { tasksNotRun } from './checks/tasks-not-run.js';
import { unknownStillUsed } from './checks/unknown-still-used.js';
import { versionNotServed } from './checks/version-not-served.js';
import type { UpgradeCheck } from './upgrade-check.js';

/** Every check there is, by id. An id that is missing is one that nothing looks at yet, and the coverage says so. */
export const upgradeChecks: readonly UpgradeCheck[] = [
  explicitGateUnknown,
  explicitValueLocked,
  defaultFlips,
  featureInTransition,
  oldValuesReturn,
  storedUnreadable,
  dependencyOff,
  oneWayDoor,
  processesUnaccounted,
  unknownStillUsed,
  tasksNotRun,
  heldByCompatibility,
  explicitGateLeaving,
  groupGateWidens,
  fieldsLeftBehind,
  serversAway,
  targetUnknown,
  versionNotServed,
];
