import { ManualClock } from '@slipway/kube/testing';
import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { mountProblem } from './expanded-mounts.js';
import { PodDisk } from './pod-disk.js';

// path in the volume | value of $(A) | why it cannot be mounted
test.each<[string, string | undefined, string | undefined]>([
  ['$(A)/b', 'a', undefined],
  ['$$(A)', undefined, undefined],
  ['$(A)', '/tmp', 'error SubPath `/tmp` must not be an absolute path'],
  ['$(A)', '..', "unable to provision SubPath `..`: must not contain '..'"],
  ['a/$(A)/b', '..', "unable to provision SubPath `a/../b`: must not contain '..'"],
  ['a..b/$(A)', 'c', undefined],
  ['$(A)', undefined, 'missing value for A'],
  ['$(A)', '', 'missing value for A'],
  ['$(C)/$(A)/$(B)/$(B)', undefined, 'missing value for A, B, C'],
])('mountProblem() of %j where A is %j', (subPathExpr, value, expected) => {
  const env = value === undefined ? [] : [{ name: 'A', value }];
  const container = { name: 'main', env, volumeMounts: [{ name: 'v', mountPath: '/v', subPathExpr }] };
  const pod = aPod('p', { spec: { containers: [container] }, status: {} } as never);
  const view = { pod, container, run: '1', disk: new PodDisk(), clock: new ManualClock() };
  expect(mountProblem({ ...view, lookUp: () => undefined, services: () => [], token: async () => '' })).toBe(expected);
});
