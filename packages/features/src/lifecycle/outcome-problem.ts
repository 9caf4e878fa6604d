import { reasons } from '../api/conditions.js';
import type { TaskOutcome } from './task-outcome.js';

/** A longer time to wait than this is a mistake. */
const maxDelayMs = 86_400_000;
const maxCheckpointBytes = 1024;

type Check = readonly [holds: (value: unknown) => boolean, mustBe: string];

const text: Check = [(value) => typeof value === 'string', 'a string'];
const count: Check = [(value) => Number.isSafeInteger(value) && (value as number) >= 0, 'a whole number of at least 0'];

/** What every field that comes from outside must be, so that a status can hold it. */
const fields: Readonly<Record<string, Check>> = {
  message: text,
  note: text,
  reason: [(value) => typeof value === 'string' && Object.hasOwn(reasons, value), 'a reason that Slipway gives'],
  objects: count,
  result: [(value) => ['Done', 'Skipped', 'Waived'].includes(value as string), 'Done, Skipped or Waived'],
  retryAfterMs: [
    (value) => typeof value === 'number' && value >= 0 && value <= maxDelayMs,
    `a number of milliseconds from 0 to ${maxDelayMs}`,
  ],
  progress: [isProgress, '{ done, total, unit }: whole numbers of at least 0, and a string of at most 64 characters'],
  checkpoint: [
    (value) => typeof value === 'string' && Buffer.byteLength(value) <= maxCheckpointBytes,
    'a string of at most 1 KiB',
  ],
};

/** Fields without which a status could not say what a task came to. */
const required: Readonly<Record<TaskOutcome['kind'], readonly string[]>> = {
  done: [],
  waiting: ['reason', 'message'],
  blocked: ['reason', 'message'],
  failed: ['message'],
  rollback: ['message'],
  uncovered: ['message'],
  found: [],
};

/**
 * Why a status cannot hold what a task came to; undefined when it can. Tasks of authors, and the programs that they
 * call, may give anything.
 */
export function outcomeProblem(outcome: unknown): string | undefined {
  if (!isRecord(outcome)) return `it must be an outcome, not ${shown(outcome)}`;
  const { kind } = outcome;
  if (typeof kind !== 'string' || !Object.hasOwn(required, kind))
    return `kind must be that of an outcome, not ${shown(kind)}`;
  const missing = required[kind as TaskOutcome['kind']].find((name) => outcome[name] === undefined);
  return missing === undefined ? fieldProblem(outcome) : `${missing} is missing`;
}

/** Why fields of these names cannot be held; others are not looked at. */
export function fieldProblem(value: Readonly<Record<string, unknown>>): string | undefined {
  const wrong = Object.entries(fields).find(
    ([name, [holds]]) => Object.hasOwn(value, name) && value[name] !== undefined && !holds(value[name]),
  );
  return wrong && `${wrong[0]} must be ${wrong[1][1]}, not ${shown(value[wrong[0]])}`;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as a message shows it. */
export function shown(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return json.length <= 60 ? json : `${json.slice(0, 59)}…`;
}

function isProgress(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { done, total, unit } = value;
  const [isCount] = count;
  return isCount(done) && (total === undefined || isCount(total)) && typeof unit === 'string' && unit.length <= 64;
}
