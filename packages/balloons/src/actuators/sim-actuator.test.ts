import { ManualClock } from '@slipway/kube/testing';
import { expect, test } from 'vitest';
import { parseAmounts } from '../planner/amounts.js';
import { type SimOutcome, simActuator } from './sim-actuator.js';

const { signal } = new AbortController();
const from = parseAmounts({ cpu: 4, memory: '16Gi' });
const to = parseAmounts({ cpu: 8, memory: '32Gi' });
const half = parseAmounts({ cpu: 6, memory: '24Gi' });
const operation = { node: 'n1', operationID: 'a', from, to };

test('simActuator() is in progress for its time, then done; the same operation asked again is the same', async () => {
  const clock = new ManualClock();
  const actuator = simActuator({ name: 'sim', resources: ['cpu', 'memory'], clock, delayMs: 200, outcomes: [] });
  expect(await actuator.observe({ node: 'n1' }, signal)).toMatchObject({ state: 'Unknown' });
  expect(await actuator.ensure(operation, signal)).toEqual({ state: 'InProgress', granted: from, retryAfterMs: 200 });
  await clock.advance(200);
  expect(await actuator.ensure(operation, signal)).toEqual({ state: 'Done', granted: to });
  expect(await actuator.ensure(operation, signal)).toEqual({ state: 'Done', granted: to });
  expect(await actuator.observe({ node: 'n1' }, signal)).toEqual({ state: 'Done', granted: to });
});

test.each<[SimOutcome, object]>([
  ['Failed', { state: 'Failed', granted: from }],
  ['Unknown', { state: 'Unknown' }],
  ['Partial', { state: 'Failed', granted: half }],
])('simActuator() told %s answers that once, and the next operation is done', async (outcome, answer) => {
  const clock = new ManualClock();
  const outcomes = [outcome];
  const actuator = simActuator({ name: 'sim', resources: ['cpu', 'memory'], clock, delayMs: 0, outcomes });
  expect(await actuator.ensure(operation, signal)).toMatchObject(answer);
  expect(await actuator.ensure(operation, signal)).toMatchObject(answer);
  expect(await actuator.ensure({ ...operation, operationID: 'b' }, signal)).toMatchObject({ state: 'Done' });
});
