import type { BackupSummary } from '@slipway/features';
import { useEffect, useState } from 'preact/hooks';
import type { Deed } from '../../actions/feature-plan.js';
import { ask } from '../shell/session.js';
import { PlanDialog } from './plan-dialog.js';
import { RestoreDialog } from './restore-dialog.js';
import type { ShownFeature } from './shown.js';

/** Buttons for what a person may ask of a feature now. */
export function FeatureActions({ feature }: { readonly feature: ShownFeature }) {
  const [open, setOpen] = useState<Deed | 'Restore'>();
  const { spec, status, metadata } = feature;
  const { namespace = '', name = '' } = metadata;
  const work = status?.transition ?? status?.maintenance;
  const state = status?.state ?? 'Unknown';
  const { desired } = spec;
  const goal = desired === 'On' || desired === 'Off' ? desired : (status?.transition?.to ?? state);
  const backups = useBackups(feature);
  const kept = backups.reduce((sum, { values }) => sum + values, 0);
  // Values that come back while the feature is off are dropped again.
  const isRestorable = kept > 0 && state === 'On';
  const pause = () => void ask('/api/feature/pause', { namespace, name, paused: !spec.paused }).catch(() => {});
  const close = () => setOpen(undefined);
  return (
    <div class="actions">
      {kept > 0 && state === 'Off' && goal === 'Off' && (
        <span class="faint">{kept === 1 ? '1 value is' : `${kept} values are`} kept: turn it on to restore</span>
      )}
      {work?.tasks[0]?.reason === 'NeedsApproval' && (
        <button type="button" class="primary" onClick={() => setOpen('Approve')}>
          Look at what it waits for
        </button>
      )}
      {work && work.tasks.length > 0 && (
        <button type="button" onClick={pause}>
          {spec.paused ? 'Go on' : 'Pause'}
        </button>
      )}
      {goal !== 'On' && (
        <button type="button" onClick={() => setOpen('On')}>
          Turn on
        </button>
      )}
      {goal !== 'Off' && (
        <button type="button" onClick={() => setOpen('Off')}>
          Turn off
        </button>
      )}
      {isRestorable && (
        <button type="button" onClick={() => setOpen('Restore')}>
          Restore values
        </button>
      )}
      {open === 'Restore' && <RestoreDialog namespace={namespace} name={name} backups={backups} onClose={close} />}
      {open !== undefined && open !== 'Restore' && (
        <PlanDialog namespace={namespace} name={name} gate={spec.gate} deed={open} onClose={close} />
      )}
    </div>
  );
}

/** Reads the backups again whenever a transition ends; none where they may not be read. */
function useBackups({ metadata: { namespace = '', name = '' }, status }: ShownFeature): readonly BackupSummary[] {
  const [backups, setBackups] = useState<readonly BackupSummary[]>([]);
  const [newest] = status?.history ?? [];
  const moment = `${newest?.id} ${status?.state}`;
  useEffect(() => {
    ask<{ backups?: readonly BackupSummary[] }>(
      `/api/feature/backups?${new URLSearchParams({ namespace, name })}`,
    ).then(
      ({ backups: read = [] }) => setBackups(read),
      () => {},
    );
  }, [namespace, name, moment]);
  return backups;
}
