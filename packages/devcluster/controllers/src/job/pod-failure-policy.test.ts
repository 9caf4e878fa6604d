import type { PodFailurePolicy } from '@slipway/kube-objects/kinds/api/jobs';
import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { judgeFailure } from './pod-failure-policy.js';

const exited = (exitCode: number, name = 'main') => ({
  name,
  image: '',
  imageID: '',
  ready: false,
  restartCount: 0,
  state: { terminated: { exitCode } },
});
const pod = aPod('p', {
  status: {
    phase: 'Failed',
    containerStatuses: [exited(0, 'done'), exited(42)],
    initContainerStatuses: [exited(7, 'init')],
    conditions: [{ type: 'DisruptionTarget', status: 'True' }],
  },
});
type Rule = PodFailurePolicy['rules'][number];
const onExit = (operator: 'In' | 'NotIn', values: number[], more: object = {}): Partial<Rule> => ({
  onExitCodes: { operator, values, ...more },
});

// rules | counts, fails the index, fails the job
const cases: [Rule[], string][] = [
  [[], 'counts'],
  [[{ action: 'Ignore', ...onExit('In', [42]) }], ''],
  [[{ action: 'Ignore', ...onExit('In', [1]) }], 'counts'],
  [[{ action: 'Ignore', ...onExit('NotIn', [42, 7]) }], 'counts'],
  [[{ action: 'Ignore', ...onExit('In', [7]) }], ''],
  [[{ action: 'Ignore', ...onExit('In', [42], { containerName: 'done' }) }], 'counts'],
  [[{ action: 'FailIndex', ...onExit('NotIn', [1]) }], 'counts index'],
  [
    [
      { action: 'Count', ...onExit('In', [42]) },
      { action: 'Ignore', ...onExit('In', [42]) },
    ],
    'counts',
  ],
  [
    [
      { action: 'Count', ...onExit('In', [1]) },
      { action: 'FailJob', ...onExit('In', [42]) },
    ],
    'counts: Container main for pod default/p failed with exit code 42 matching FailJob rule at index 1',
  ],
  [
    [{ action: 'FailJob', onPodConditions: [{ type: 'DisruptionTarget' }] }],
    'counts: Pod default/p has condition DisruptionTarget matching FailJob rule at index 0',
  ],
  [[{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'False' }] }], 'counts'],
];

test.each(cases)('judgeFailure() by %j', (rules, expected) => {
  const { counts, failsIndex, failsJob } = judgeFailure({ rules }, pod);
  const words = [counts ? 'counts' : '', failsIndex ? ' index' : '', failsJob ? `: ${failsJob}` : ''];
  expect(words.join('')).toBe(expected);
});
