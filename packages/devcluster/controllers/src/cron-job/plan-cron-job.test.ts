import type { CronJob, CronJobStatus } from '@slipway/kube-objects/kinds/api/cron-jobs';
import type { Job, JobStatus } from '@slipway/kube-objects/kinds/api/jobs';
import { aTemplate } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { cronJobStatus, planCronJob } from './plan-cron-job.js';

const at = (time: string) => `2026-01-01T${time}Z`;
const selector = { matchLabels: { app: 'a' } };
const jobSpec: Job['spec'] = { parallelism: 1, backoffLimit: 6, selector, template: aTemplate() };

function aCronJob(spec: Partial<CronJob['spec']> = {}, status: CronJobStatus = {}): CronJob {
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'tick', namespace: 'default', uid: 'uid-of-tick', creationTimestamp: at('00:00:00') },
    spec: {
      schedule: '*/10 * * * *',
      concurrencyPolicy: 'Allow',
      suspend: false,
      jobTemplate: { spec: jobSpec },
      successfulJobsHistoryLimit: 1,
      failedJobsHistoryLimit: 1,
      ...spec,
    },
    status,
  };
}

/** A job that runs, or ended with `Complete` or `Failed`. */
function aJob(name: string, end?: 'Complete' | 'Failed', startTime = at('00:10:00')): Job {
  const status: JobStatus = {
    startTime,
    ...(end && { conditions: [{ type: end, status: 'True' }] }),
    ...(end === 'Complete' && { completionTime: startTime }),
  };
  const metadata = { name, namespace: 'default', uid: `uid-of-${name}` };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: jobSpec, status };
}

const names = (jobs: readonly Job[]) => jobs.map(({ metadata }) => metadata.name).join(' ');
const time = (ms: number | undefined) => (ms === undefined ? '-' : new Date(ms).toISOString().slice(11, 16));
const told = (cronJob: CronJob, jobs: readonly Job[], now: string) => {
  const plan = planCronJob(cronJob, jobs, Date.parse(at(now)));
  const reasons = plan.notices.map(({ reason }) => reason).join(' ');
  return `start ${time(plan.startMs)} next ${time(plan.nextMs)} -[${names(plan.replace)}][${names(plan.discard)}] ${reasons}`.trim();
};
const ref = (name: string) => ({ apiVersion: 'batch/v1', kind: 'Job', name, uid: `uid-of-${name}` });

// what | spec | status | jobs | now | plan
const cases: [string, Partial<CronJob['spec']>, CronJobStatus, readonly Job[], string, string][] = [
  ['nothing due yet', {}, {}, [], '00:09:59', 'start - next 00:10 -[][]'],
  ['a run due', {}, {}, [], '00:10:00', 'start 00:10 next 00:20 -[][]'],
  ['a run done', {}, { lastScheduleTime: at('00:10:00') }, [], '00:10:30', 'start - next 00:20 -[][]'],
  ['several due: the last one only', {}, {}, [], '00:35:00', 'start 00:30 next 00:40 -[][]'],
  ['too many due', { schedule: '* * * * *' }, {}, [], '05:00:00', 'start 05:00 next 05:01 -[][] TooManyMissedTimes'],
  ['suspended', { suspend: true }, {}, [], '00:10:00', 'start - next - -[][]'],
  ['too late', { startingDeadlineSeconds: 60 }, {}, [], '00:11:01', 'start - next 00:20 -[][] MissSchedule'],
  ['late but in time', { startingDeadlineSeconds: 60 }, {}, [], '00:11:00', 'start 00:10 next 00:20 -[][]'],
  ['another still running', {}, { active: [ref('a')] }, [aJob('a')], '00:10:00', 'start 00:10 next 00:20 -[][]'],
  [
    'one made by hand',
    { concurrencyPolicy: 'Forbid' },
    {},
    [aJob('a')],
    '00:10:00',
    'start 00:10 next 00:20 -[][] UnexpectedJob',
  ],
  [
    'one made by hand beside those to be replaced',
    { concurrencyPolicy: 'Replace' },
    { active: [ref('b')] },
    [aJob('a'), aJob('b')],
    '00:10:00',
    'start 00:10 next 00:20 -[b][] UnexpectedJob',
  ],
  [
    'another in the way',
    { concurrencyPolicy: 'Forbid' },
    { active: [ref('a')] },
    [aJob('a')],
    '00:10:00',
    'start - next 00:20 -[][] JobAlreadyActive',
  ],
  [
    'another ended',
    { concurrencyPolicy: 'Forbid' },
    {},
    [aJob('a', 'Failed')],
    '00:10:00',
    'start 00:10 next 00:20 -[][]',
  ],
  [
    'another to be replaced',
    { concurrencyPolicy: 'Replace' },
    { active: [ref('a')] },
    [aJob('a')],
    '00:10:00',
    'start 00:10 next 00:20 -[a][]',
  ],
  [
    'a job that ended',
    {},
    { active: [ref('a')] },
    [aJob('a', 'Complete')],
    '00:01:00',
    'start - next 00:10 -[][] SawCompletedJob',
  ],
  ['a job that is gone', {}, { active: [ref('a')] }, [], '00:01:00', 'start - next 00:10 -[][] MissingJob'],
  [
    'more ended jobs than are kept',
    {},
    {},
    [
      aJob('b', 'Complete', at('00:20:00')),
      aJob('a', 'Complete', at('00:10:00')),
      aJob('c', 'Failed'),
      aJob('d', 'Failed', at('00:01:00')),
    ],
    '00:01:00',
    'start - next 00:10 -[][a d]',
  ],
  ['a day that never comes', { schedule: '0 0 31 2 *' }, {}, [], '00:10:00', 'start - next - -[][]'],
  ['an invalid schedule', { schedule: 'x' }, {}, [], '00:10:00', 'start - next - -[][] UnparseableSchedule'],
];

test.each(cases)('planCronJob() with %s', (_what, spec, status, jobs, now, expected) => {
  expect(told(aCronJob(spec, status), jobs, now)).toBe(expected);
});

test('planCronJob() says when a missed run was due', () => {
  const { notices } = planCronJob(aCronJob({ startingDeadlineSeconds: 1 }), [], Date.parse(at('00:12:00')));
  expect(notices[0]?.message).toBe('Missed scheduled time to start a job: Thu, 01 Jan 2026 00:10:00 +0000');
});

test('planCronJob() names a job that was made by hand', () => {
  const { notices } = planCronJob(aCronJob(), [aJob('by-hand')], Date.parse(at('00:01:00')));
  expect(notices).toEqual([
    {
      type: 'Warning',
      reason: 'UnexpectedJob',
      message: 'Saw a job that the controller did not create or forgot: by-hand',
    },
  ]);
});

test('cronJobStatus() lists the runs that go on, and when last one was started and one succeeded', () => {
  const jobs = [aJob('a'), aJob('b', 'Complete'), aJob('c', 'Failed'), aJob('by-hand')];
  const started = { dueMs: Date.parse(at('00:20:00')), job: aJob('d') };
  const cronJob = aCronJob({}, { active: ['a', 'b', 'gone'].map(ref) });
  expect(cronJobStatus(cronJob, jobs, started)).toEqual({
    active: [ref('a'), { apiVersion: 'batch/v1', kind: 'Job', name: 'd', namespace: 'default', uid: 'uid-of-d' }],
    lastScheduleTime: at('00:20:00'),
    lastSuccessfulTime: at('00:10:00'),
  });
  const before = { lastScheduleTime: at('00:10:00'), lastSuccessfulTime: at('00:15:00') };
  expect(cronJobStatus(aCronJob({}, before), [aJob('b', 'Complete')], undefined)).toEqual(before);
});
