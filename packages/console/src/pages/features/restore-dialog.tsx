import type { BackupSummary } from '@slipway/features';
import { useState } from 'preact/hooks';
import type { RestoreMessage } from '../../actions/restore-values.js';
import { Bar } from '../controls/badges.js';
import { Dialog } from '../controls/dialog.js';
import { ProblemNotice } from '../controls/notices.js';
import { Age } from '../controls/when.js';
import { readLines } from '../shell/read-lines.js';
import { send } from '../shell/session.js';

interface RestoreDialogProps {
  readonly namespace: string;
  readonly name: string;
  readonly backups: readonly BackupSummary[];
  readonly onClose: () => void;
}

/** Puts the values of a backup back, with progress. */
export function RestoreDialog({ namespace, name, backups, onClose }: RestoreDialogProps) {
  const [chosen, setChosen] = useState(backups[0]?.transition ?? '');
  const [message, setMessage] = useState<RestoreMessage>();
  const [error, setError] = useState<string>();
  const isRunning = message?.type === 'progress';
  const restore = async (event: Event) => {
    event.preventDefault();
    setError(undefined);
    setMessage({
      type: 'progress',
      done: 0,
      total: backups.find(({ transition }) => transition === chosen)?.values ?? 0,
    });
    try {
      const response = await send('/api/feature/restore', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ namespace, name, transition: chosen }),
      });
      if (!response.body) throw new Error('no answer');
      await readLines(response.body, (line) => {
        const told = JSON.parse(line) as RestoreMessage | { readonly problem: { readonly message: string } };
        if ('type' in told) setMessage(told);
        else setError(told.problem.message);
      });
    } catch (failure) {
      setError(`${failure}; restoring again goes on where it ended`);
    }
  };
  return (
    <Dialog title="Restore values" onClose={onClose}>
      {error && <p role="alert">It ended early: {error}</p>}
      <form onSubmit={(event) => void restore(event)}>
        <fieldset class="choices" disabled={isRunning}>
          <legend>Values that turning it off has cleared</legend>
          {backups.map(({ transition, values, createdAt, expiresAt }) => (
            <label key={transition}>
              <input
                type="radio"
                name="backup"
                checked={transition === chosen}
                onChange={() => setChosen(transition)}
              />{' '}
              {values === 1 ? '1 value' : `${values} values`}, <Age time={createdAt} behind=" ago" />{' '}
              <span class="faint">
                {transition}, kept until {new Date(expiresAt).toLocaleDateString()}
              </span>
            </label>
          ))}
        </fieldset>
        <p>
          The values are written into the objects they came from, where those have none now. Doing it twice does no
          harm.
        </p>
        {message?.type === 'progress' && (
          <p class="progress" role="status">
            <Bar done={message.done} total={message.total} label="Restored" /> {message.done} of {message.total}
          </p>
        )}
        {message?.type === 'result' && <Result result={message} />}
        <p class="actions">
          <button type="button" onClick={onClose}>
            {message?.type === 'result' ? 'Close' : 'Cancel'}
          </button>
          <button type="submit" class="primary" disabled={isRunning}>
            {isRunning ? 'Restoring…' : 'Restore'}
          </button>
        </p>
      </form>
    </Dialog>
  );
}

function Result({ result }: { readonly result: Extract<RestoreMessage, { type: 'result' }> }) {
  const { restored, total, present, gone, left, leftCount, problem } = result;
  return (
    <div role="status">
      {problem && <ProblemNotice problem={problem} />}
      <p>
        <strong>
          Restored {restored} of {total} values.
        </strong>{' '}
        {present} have a value again, {gone} objects are gone.
      </p>
      {leftCount > 0 && (
        <>
          <p class="warn">{leftCount === 1 ? '1 value is left:' : `${leftCount} values are left:`}</p>
          <ul class="lines">
            {left.map(({ resource, namespace, name, path, message }) => (
              <li key={`${resource} ${namespace} ${name} ${path}`}>
                {resource} {namespace ? `${namespace}/` : ''}
                {name} <code>{path}</code>: {message}
              </li>
            ))}
          </ul>
          {left.some(({ reason }) => reason === 'Dropped') && <p>Turn the feature on, then restore again.</p>}
        </>
      )}
    </div>
  );
}
