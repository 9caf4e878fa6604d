import { appendErrors } from '@slipway/api-machinery/errors/append-errors';
import { nonNegative, oneOf } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, invalid, notSupported, required } from '@slipway/api-machinery/errors/field-error';
import { ageColumn, countColumn, textColumn, wideColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { KubeObject } from '@slipway/kube';
import { CronScheduleError, parseCronSchedule } from '@slipway/kube-objects/rules/cron-schedule';
import { timeSince } from '@slipway/kube-objects/rules/human-duration';
import { defaultFailurePolicy, type JobSpecFields, validateJobSpec } from './job-spec.js';
import { templatedKind } from './templated-kind.js';
import { defaultPodTemplate } from './workload-defaults.js';

interface CronJobSpecFields {
  schedule?: string;
  timeZone?: string;
  startingDeadlineSeconds?: number;
  concurrencyPolicy?: string;
  suspend?: boolean;
  jobTemplate?: { metadata?: KubeObject['metadata']; spec?: JobSpecFields };
  successfulJobsHistoryLimit?: number;
  failedJobsHistoryLimit?: number;
}

export const cronJobs = defineResource({
  group: 'batch',
  version: 'v1',
  kind: 'CronJob',
  plural: 'cronjobs',
  shortNames: ['cj'],
  ...templatedKind('jobTemplate', 'spec', 'template'),
  message: 'batch.v1.CronJob',
  nameRules: 'create',
  subresources: { status: true },
  defaults(cronJob) {
    cronJob.spec ??= {};
    const spec: CronJobSpecFields = cronJob.spec;
    spec.concurrencyPolicy ||= 'Allow';
    spec.suspend ??= false;
    spec.successfulJobsHistoryLimit ??= 3;
    spec.failedJobsHistoryLimit ??= 1;
    spec.jobTemplate ??= {};
    spec.jobTemplate.spec ??= {};
    // The job gets the defaults of jobs when it is created.
    defaultFailurePolicy(spec.jobTemplate.spec);
    defaultPodTemplate(spec.jobTemplate.spec);
  },
  validate: ({ spec }) => validateSpec(spec),
  validateCreate: ({ metadata }) => validateName(metadata.name ?? ''),
  columns: [
    textColumn('Schedule', 'When jobs are started.', ({ spec }) => spec?.schedule ?? ''),
    textColumn('Timezone', 'The time zone of the schedule.', ({ spec }) => spec?.timeZone ?? '<none>'),
    {
      name: 'Suspend',
      type: 'boolean',
      description: 'Whether no jobs are started for now.',
      priority: 0,
      cell: ({ spec }) => (spec?.suspend ? 'True' : 'False'),
    },
    countColumn('Active', 'How many of its jobs run.', ({ status }) => status?.active?.length),
    textColumn('Last Schedule', 'Time since a job was last started.', ({ status }, nowMs) =>
      status?.lastScheduleTime ? timeSince(status.lastScheduleTime, nowMs) : '<none>',
    ),
    ageColumn,
    wideColumn('Containers', 'Names of each container in the template.', (cronJob) => ofContainers(cronJob, 'name')),
    wideColumn('Images', 'Images referenced by each container in the template.', (cronJob) =>
      ofContainers(cronJob, 'image'),
    ),
    wideColumn('Selector', 'Label selector of the pods.', () => '<none>'),
  ],
});

function ofContainers({ spec }: KubeObject, field: 'name' | 'image'): string {
  const { jobTemplate }: CronJobSpecFields = spec ?? {};
  const containers = jobTemplate?.spec?.template?.spec?.containers ?? [];
  return containers.map((container) => container[field] ?? '').join(',');
}

const policies = ['Allow', 'Forbid', 'Replace'];

const longestName = 52;

/** The controller appends eleven characters, and names of jobs have 63 at most. */
function validateName(name: string): FieldError[] {
  if (name.length <= longestName) return [];
  return [invalid('metadata.name', name, `must be no more than ${longestName} characters`)];
}

function validateSpec(spec: CronJobSpecFields): FieldError[] {
  const { schedule = '', timeZone, concurrencyPolicy = '', jobTemplate } = spec;
  const errors = schedule === '' ? [required('spec.schedule')] : validateSchedule(schedule);
  errors.push(...nonNegative('spec.startingDeadlineSeconds', spec.startingDeadlineSeconds));
  if (timeZone !== undefined) errors.push(...validateTimeZone(timeZone));
  errors.push(...oneOf('spec.concurrencyPolicy', concurrencyPolicy, policies));
  const job = jobTemplate?.spec ?? {};
  appendErrors(errors, validateJobSpec(job, 'spec.jobTemplate.spec'));
  if (job.selector) {
    errors.push(invalid('spec.jobTemplate.spec.selector', job.selector, '`selector` will be auto-generated'));
  }
  if (job.manualSelector) {
    errors.push(notSupported('spec.jobTemplate.spec.manualSelector', job.manualSelector, ['nil', 'false']));
  }
  for (const limit of ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit'] as const) {
    errors.push(...nonNegative(`spec.${limit}`, spec[limit]));
  }
  return errors;
}

function validateSchedule(schedule: string): FieldError[] {
  if (schedule.includes('TZ')) {
    const detail = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
    return [invalid('spec.schedule', schedule, detail)];
  }
  try {
    parseCronSchedule(schedule);
    return [];
  } catch (error) {
    if (!(error instanceof CronScheduleError)) throw error;
    return [invalid('spec.schedule', schedule, error.message)];
  }
}

function validateTimeZone(timeZone: string): FieldError[] {
  const field = 'spec.timeZone';
  if (timeZone === '') return [invalid(field, timeZone, 'timeZone must be nil or non-empty string')];
  if (timeZone.toLowerCase() === 'local') {
    const detail = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    return [invalid(field, timeZone, detail)];
  }
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return [];
  } catch {
    return [invalid(field, timeZone, `unknown time zone ${timeZone}`)];
  }
}
