import type { CronSchedule } from '@slipway/kube-objects/rules/cron-schedule';
import { momentOf, type WallMs, wallAt } from './wall-clock.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** A schedule that names a day that does not come within this time never runs. */
const horizonMs = 5 * 366 * dayMs;

/** The first run after a moment, in milliseconds since the epoch; undefined when there is none. */
export function nextRun(schedule: CronSchedule, afterMs: number, timeZone: string): number | undefined {
  if (schedule.kind === 'every') return Math.floor(afterMs / 1000) * 1000 + schedule.ms;
  const startWall = wallAt(afterMs, timeZone);
  let wall: WallMs = (Math.floor(startWall / minuteMs) + 1) * minuteMs;
  while (wall - startWall < horizonMs) {
    const skipTo = mismatch(schedule, wall);
    if (skipTo !== undefined) {
      wall = skipTo;
      continue;
    }
    const ms = momentOf(wall, timeZone);
    if (ms !== undefined && ms > afterMs) return ms;
    wall += minuteMs;
  }
  return undefined;
}

/** Where to look next when this is not a time to run; undefined when it is. */
function mismatch(schedule: Extract<CronSchedule, { kind: 'at' }>, wall: WallMs): WallMs | undefined {
  const at = new Date(wall);
  if (!schedule.months.has(at.getUTCMonth() + 1)) return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1);
  const [isDay, isWeekday] = [schedule.days.has(at.getUTCDate()), schedule.weekdays.has(at.getUTCDay())];
  if (schedule.eitherDay ? !isDay && !isWeekday : !isDay || !isWeekday) return (Math.floor(wall / dayMs) + 1) * dayMs;
  if (!schedule.hours.has(at.getUTCHours())) return (Math.floor(wall / hourMs) + 1) * hourMs;
  return schedule.minutes.has(at.getUTCMinutes()) ? undefined : wall + minuteMs;
}

/** Runs that were due. */
export interface DueRuns {
  /** The last of them, if any. */
  readonly latestMs: number | undefined;
  /** Whether there were so many that something must be wrong. */
  readonly tooMany: boolean;
}

const manyRuns = 100;

/** The runs after one moment and up to another. Does not visit all of them: there may be millions. */
export function dueRuns(schedule: CronSchedule, afterMs: number, untilMs: number, timeZone: string): DueRuns {
  const next = (ms: number) => nextRun(schedule, ms, timeZone) ?? Number.POSITIVE_INFINITY;
  const first = next(afterMs);
  if (first > untilMs) return { latestMs: undefined, tooMany: false };
  const interval = next(first) - first;
  const about = Math.floor((untilMs - first) / interval) + 1;
  // Far from the end only the last stretch is visited, a longer one when nothing was due in it.
  let stretchMs = about > manyRuns ? 2 * interval : untilMs - first;
  while (next(Math.max(first, untilMs - stretchMs)) > untilMs && untilMs - stretchMs > first) stretchMs *= 2;
  let latestMs = first;
  for (let ms = next(Math.max(first, untilMs - stretchMs)); ms <= untilMs; ms = next(ms)) latestMs = ms;
  return { latestMs, tooMany: about > manyRuns };
}
