import { expect, test } from 'vitest';
import { runToCompletion } from '../event-loop/resumable.js';
import { decodeManagers, encodeManagers } from './managers.js';
import { ownersAfterScale, ownersOfScale, type ReplicasAt } from './scale-owners.js';

const entry = (manager: string, operation: string, fieldsV1: object, more: object = {}) => ({
  manager,
  operation,
  apiVersion: 'apps/v1',
  fieldsType: 'FieldsV1',
  fieldsV1,
  time: '2026-01-01T00:00:00Z',
  ...more,
});
const replicas = { 'f:spec': { 'f:replicas': {} } };
const replicasAt: ReplicasAt = (apiVersion) =>
  apiVersion === 'apps/v1' ? ['f:spec', 'f:replicas'] : apiVersion === 'apps/v0' ? null : undefined;

test('ownersOfScale() are those who own the number of replicas', () => {
  const managers = runToCompletion(
    decodeManagers([
      entry('a', 'Apply', { 'f:spec': { 'f:replicas': {}, 'f:selector': {} } }),
      entry('b', 'Apply', { 'f:spec': { 'f:selector': {} } }),
    ]),
  );
  expect(runToCompletion(encodeManagers(ownersOfScale(managers, replicasAt)))).toEqual([
    entry('a', 'Apply', replicas, { apiVersion: 'autoscaling/v1' }),
  ]);
});

test('ownersAfterScale() notes an owner that does not apply anew without a time, as the real server does', () => {
  const main = entry('a', 'Update', { 'f:spec': { 'f:replicas': {}, 'f:selector': {} } });
  const write = (entries: readonly object[]) => {
    const managers = runToCompletion(decodeManagers(entries as never));
    const scale = runToCompletion(encodeManagers(ownersOfScale(managers, replicasAt)));
    const after = ownersAfterScale(managers, runToCompletion(decodeManagers(scale as never)), replicasAt, 'apps/v1');
    return runToCompletion(encodeManagers(after));
  };
  const { time: _, ...scaled } = entry('a', 'Update', replicas);
  const rest = entry('a', 'Update', { 'f:spec': { 'f:selector': {} } });
  const once = write([main]);
  expect(once).toEqual([scaled, rest]);
  // Of entries of one owner the last counts.
  expect(write(once as never)).toEqual([rest]);
});

test('ownersAfterScale() takes the replicas from those who lost the scale and gives them to those who have it', () => {
  const managers = runToCompletion(
    decodeManagers([
      entry('a', 'Apply', { 'f:spec': { 'f:replicas': {}, 'f:selector': {} } }),
      entry('only', 'Apply', replicas),
      entry('old', 'Update', { 'f:spec': {} }, { apiVersion: 'apps/v0' }),
      entry('gone', 'Update', { 'f:spec': {} }, { apiVersion: 'apps/v9' }),
    ]),
  );
  const scale = runToCompletion(
    decodeManagers([entry('hpa', 'Update', replicas, { apiVersion: 'autoscaling/v1', subresource: 'scale' })]),
  );
  const { time: _, ...hpa } = entry('hpa', 'Update', replicas, { subresource: 'scale' });
  expect(runToCompletion(encodeManagers(ownersAfterScale(managers, scale, replicasAt, 'apps/v1')))).toEqual([
    entry('a', 'Apply', { 'f:spec': { 'f:selector': {} } }),
    hpa,
    entry('old', 'Update', { 'f:spec': {} }, { apiVersion: 'apps/v0' }),
  ]);
});
