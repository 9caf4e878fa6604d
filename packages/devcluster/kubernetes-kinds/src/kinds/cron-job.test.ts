import { expect, test } from 'vitest';
import { cronJobs } from './cron-job.js';
import { created, createErrors, row } from './testing/write.js';

const podSpec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox:1' }] };
const jobTemplate = { spec: { template: { spec: podSpec } } };
const cronJob = (spec: object = {}) => ({ spec: { schedule: '*/5 * * * *', jobTemplate, ...spec } });

test('CronJob gets the defaults that Kubernetes gives, its jobs none but those of pods', () => {
  expect(created(cronJobs, cronJob()).spec).toMatchObject({
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
    jobTemplate: { spec: { template: { spec: { terminationGracePeriodSeconds: 30 } } } },
  });
});

const noTz = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';

// spec | what is wrong with it
const invalidCronJobs: [object, string[]][] = [
  [{}, []],
  [{ timeZone: 'Europe/Berlin' }, []],
  [{ schedule: '' }, ['spec.schedule: Required value']],
  [
    { schedule: '61 * * * *' },
    ['spec.schedule: Invalid value: "61 * * * *": end of range (61) above maximum (59): 61'],
  ],
  [{ schedule: 'TZ=UTC 0 * * * *' }, [`spec.schedule: Invalid value: "TZ=UTC 0 * * * *": ${noTz}`]],
  [{ timeZone: 'Mars/Olympus' }, ['spec.timeZone: Invalid value: "Mars/Olympus": unknown time zone Mars/Olympus']],
  [
    { timeZone: 'local' },
    [
      'spec.timeZone: Invalid value: "local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
    ],
  ],
  [
    { concurrencyPolicy: 'Never' },
    ['spec.concurrencyPolicy: Unsupported value: "Never": supported values: "Allow", "Forbid", "Replace"'],
  ],
  [
    { startingDeadlineSeconds: -1, failedJobsHistoryLimit: -1 },
    [
      'spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0',
      'spec.failedJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0',
    ],
  ],
  [
    { jobTemplate: { spec: { ...jobTemplate.spec, manualSelector: true, backoffLimit: -1 } } },
    [
      'spec.jobTemplate.spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0',
      'spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
    ],
  ],
];

test.each(invalidCronJobs)('CronJob of %j', (spec, errors) => {
  expect(createErrors(cronJobs, cronJob(spec))).toEqual(errors);
});

test('names of CronJobs leave room for the time of a run', () => {
  const named = (length: number) => ({ ...cronJob({}), metadata: { name: 'c'.repeat(length) } });
  expect(createErrors(cronJobs, named(52))).toEqual([]);
  expect(createErrors(cronJobs, named(53))).toEqual([
    `metadata.name: Invalid value: "${'c'.repeat(53)}": must be no more than 52 characters`,
  ]);
});

test('CronJob shows what kubectl get does', () => {
  const status = { active: [{ name: 'a' }], lastScheduleTime: '2026-11-20T11:59:00Z' };
  expect(row(cronJobs, { ...created(cronJobs, cronJob()), status })).toMatchObject({
    SCHEDULE: '*/5 * * * *',
    TIMEZONE: '<none>',
    SUSPEND: 'False',
    ACTIVE: 1,
    'LAST SCHEDULE': '60s',
    CONTAINERS: 'main',
    IMAGES: 'busybox:1',
  });
});
