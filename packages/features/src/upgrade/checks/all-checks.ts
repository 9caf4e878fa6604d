import type { UpgradeCheck } from '../upgrade-check.js';
import { defaultFlips } from './default-flips.js';
import { dependencyOff } from './dependency-off.js';
import { explicitGateLeaving } from './explicit-gate-leaving.js';
import { explicitGateUnknown } from './explicit-gate-unknown.js';
import { explicitValueLocked } from './explicit-value-locked.js';
import { featureInTransition } from './feature-in-transition.js';
import { fieldsLeftBehind } from './fields-left-behind.js';
import { groupGateWidens } from './group-gate-widens.js';
import { heldByCompatibility } from './held-by-compatibility.js';
import { oldValuesReturn } from './old-values-return.js';
import { oneWayDoor } from './one-way-door.js';
import { processesUnaccounted } from './processes-unaccounted.js';
import { serversAway } from './servers-away.js';
import { storedUnreadable } from './stored-unreadable.js';
import { targetUnknown } from './target-unknown.js';
import { tasksNotRun } from './tasks-not-run.js';
import { unknownStillUsed } from './unknown-still-used.js';
import { versionNotServed } from './version-not-served.js';

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
