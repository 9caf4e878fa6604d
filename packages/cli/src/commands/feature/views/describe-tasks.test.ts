import type { TaskStatus } from '@slipway/features';
import { expect, test } from 'vitest';
import { describeTasks } from './describe-tasks.js';

const nowMs = Date.UTC(2026, 0, 1);
const task: TaskStatus = { name: 'Webhook', kind: 'Webhook', argsDigest: '', phase: 'Waiting', message: 'HTTP 503' };

// when it is tried again, in ms | what is said of that
test.each([
  [undefined, 'HTTP 503\n'],
  [-5_000, 'HTTP 503\n'],
  [10_000, 'HTTP 503\n'],
  [10_001, 'HTTP 503; tried again in 10s, at 2026-01-01T00:00:10.001Z\n'],
  [150_400, 'HTTP 503; tried again in 2m30s, at 2026-01-01T00:02:30.400Z\n'],
])('describeTasks() of a task that is tried again in %s ms', (inMs, told) => {
  const retryTime = inMs === undefined ? {} : { retryTime: new Date(nowMs + inMs).toISOString() };
  expect(describeTasks([], [{ ...task, ...retryTime }], nowMs)).toBe(`Tasks:\n  [ ] Webhook waiting: ${told}`);
});
