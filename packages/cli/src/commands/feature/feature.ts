import type { Command } from 'commander';
import { type Invocation, newCommand } from '../../runtime/command.js';
import { approve } from './approve.js';
import { backups } from './backups.js';
import { clean } from './clean.js';
import { diff } from './diff.js';
import { drift } from './drift.js';
import { explain } from './explain.js';
import { get } from './get.js';
import { importFeatures } from './import.js';
import { list } from './list.js';
import { mode } from './mode.js';
import { onOffCommand } from './on-off-command.js';
import { pause, resume } from './pause.js';
import { rbac } from './rbac.js';
import { render } from './render.js';
import { reportCheck } from './report-check.js';
import { requires } from './requires.js';
import { restore } from './restore.js';
import { retire } from './retire.js';
import { retry } from './retry.js';
import { test } from './test.js';
import { uses } from './uses.js';
import { waive } from './waive.js';
import { watch } from './watch.js';

/** `slipway feature`, with its verbs. */
export function command(invocation: Invocation): Command {
  const feature = newCommand('feature', 'Show features, and turn them on and off');
  const verbs = [
    list,
    get,
    uses,
    drift,
    diff,
    importFeatures,
    explain,
    requires,
    rbac,
    watch,
    onOffCommand('on'),
    onOffCommand('off'),
    mode,
    approve,
    waive,
    restore,
    backups,
    clean,
    retire,
    retry,
    pause,
    resume,
    render,
    test,
    reportCheck,
  ];
  for (const verb of verbs) feature.addCommand(verb(invocation));
  return feature;
}
