import type { CompletedTask, Progress, TaskStatus } from '@slipway/features';

const barWidth = 12;

/** What was done of a plan, and what is left, with how far the task at work is. */
export function describeTasks(completed: readonly CompletedTask[], open: readonly TaskStatus[]): string {
  if (completed.length + open.length === 0) return '';
  const done = completed.map(({ name, result, seconds, objects, note }) => {
    const touched = objects === undefined ? '' : `, ${objects} objects`;
    return `  [${result === 'Waived' ? '!' : 'x'}] ${name}: ${result.toLowerCase()} in ${seconds} s${touched}${note ? `: ${note}` : ''}\n`;
  });
  const left = open.map(({ name, phase, reason, message, progress, retryTime }) => {
    const why = message ? `: ${message}` : reason ? `: ${reason}` : '';
    return `  [ ] ${name} ${phase.toLowerCase()}${progress ? ` ${progressText(progress)}` : ''}${why}${retryTime === undefined ? '' : `; tried again at ${retryTime}`}\n`;
  });
  return `Tasks:\n${done.join('')}${left.join('')}`;
}

/** `[######------] 6/12 objects`; without a bar where nobody knows how many there are. */
function progressText({ done, total, unit }: Progress): string {
  if (total === undefined || total === 0) return `${done} ${unit}`;
  const filled = Math.floor((Math.min(done, total) / total) * barWidth);
  return `[${'#'.repeat(filled).padEnd(barWidth, '-')}] ${done}/${total} ${unit}`;
}
