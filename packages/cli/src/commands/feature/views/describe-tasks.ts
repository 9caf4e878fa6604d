import type { CompletedTask, Progress, TaskStatus } from '@slipway/features';
import { formatDuration } from '../../../output/duration.js';

const barWidth = 12;

/** A task that is tried again sooner than this needs no word about it. */
const soonMs = 10_000;

/** Describes the completed and the open tasks of a plan, with the progress of the running task and its next attempt. */
export function describeTasks(completed: readonly CompletedTask[], open: readonly TaskStatus[], nowMs: number): string {
  if (completed.length + open.length === 0) return '';
  const done = completed.map(({ name, result, seconds, objects, note }) => {
    const touched = objects === undefined ? '' : `, ${objects} objects`;
    return `  [${result === 'Waived' ? '!' : 'x'}] ${name}: ${result.toLowerCase()} in ${seconds} s${touched}${note ? `: ${note}` : ''}\n`;
  });
  const left = open.map(({ name, phase, reason, message, progress, retryTime }) => {
    const why = message ? `: ${message}` : reason ? `: ${reason}` : '';
    return `  [ ] ${name} ${phase.toLowerCase()}${progress ? ` ${progressText(progress)}` : ''}${why}${retryText(retryTime, nowMs)}\n`;
  });
  return `Tasks:\n${done.join('')}${left.join('')}`;
}

/** `; tried again in 2m30s, at 2026-01-01T00:02:30Z`. */
function retryText(retryTime: string | undefined, nowMs: number): string {
  const inMs = retryTime === undefined ? 0 : Date.parse(retryTime) - nowMs;
  return inMs > soonMs ? `; tried again in ${formatDuration(Math.round(inMs / 1_000) * 1_000)}, at ${retryTime}` : '';
}

/** `[######------] 6/12 objects`; without a bar where the total is unknown. */
function progressText({ done, total, unit }: Progress): string {
  if (total === undefined || total === 0) return `${done} ${unit}`;
  const filled = Math.floor((Math.min(done, total) / total) * barWidth);
  return `[${'#'.repeat(filled).padEnd(barWidth, '-')}] ${done}/${total} ${unit}`;
}
