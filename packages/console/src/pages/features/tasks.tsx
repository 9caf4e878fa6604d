import { Bar } from '../controls/badges.js';
import { Age } from '../controls/when.js';
import type { ShownFeature } from './shown.js';

/** The tasks of what is under way: done, at work, to come. */
export function Tasks({ feature }: { readonly feature: ShownFeature }) {
  const { status } = feature;
  const work = status?.transition ?? status?.maintenance;
  if (!work || work.completed.length + work.tasks.length === 0) return null;
  const title = status?.transition ? `Turning ${status.transition.to.toLowerCase()}` : 'For the upgrade';
  return (
    <section>
      <h2>
        {title}{' '}
        <span class="faint">
          since <Age time={work.startedAt} behind=" ago" />
        </span>
      </h2>
      <ol class="tasks">
        {work.completed.map(({ name, result, seconds, objects, note }) => (
          <li key={`done ${name}`} class="task task-done">
            <span class="task-mark" aria-hidden="true">
              {result === 'Waived' ? '!' : '✓'}
            </span>
            <div>
              <strong>{name}</strong>{' '}
              <span class="faint">
                {result.toLowerCase()} in {seconds} s{objects === undefined ? '' : `, ${objects} objects`}
              </span>
              {note && <p>{note}</p>}
            </div>
          </li>
        ))}
        {work.tasks.map(({ name, phase, reason, message, progress, firstAttempt, retryTime }, at) => (
          <li key={`open ${name}`} class={`task task-${phase.toLowerCase()}`}>
            <span class="task-mark" aria-hidden="true">
              {at === 0 ? '●' : '○'}
            </span>
            <div>
              <strong>{name}</strong> <span class="faint">{phase.toLowerCase()}</span>
              {at === 0 && firstAttempt && (
                <span class="faint">
                  {' '}
                  for <Age time={firstAttempt} />
                </span>
              )}
              {(message ?? reason) && <p>{message ?? reason}</p>}
              {progress && (
                <p class="progress">
                  {progress.total !== undefined && <Bar done={progress.done} total={progress.total} label={name} />}
                  {progress.done}
                  {progress.total === undefined ? '' : ` of ${progress.total}`} {progress.unit}
                </p>
              )}
              {retryTime && Date.parse(retryTime) > Date.now() && (
                <p class="faint">tried again at {new Date(retryTime).toLocaleTimeString()}</p>
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
