import type { Job, JobStatus } from '@slipway/kube-objects/kinds/api/jobs';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import { completionIndex, indexedName, indexedTemplate } from './completion-index.js';
import { countPods, tracking } from './count-pods.js';
import { jobStatus } from './job-status.js';
import { planJob } from './plan-job.js';
import { aJob, nowMs, startTime } from './testing/a-job.js';

const anIndexedJob = (spec: Partial<Job['spec']> = {}, status?: JobStatus): Job =>
  aJob({ completions: 4, completionMode: 'Indexed', backoffLimit: 6, ...spec }, status);

const phases = { r: 'Running', s: 'Succeeded', f: 'Failed', t: 'Running' } as const;

/** Pods by index, a letter and how often the index failed before: `0r` runs, `1s` succeeded, `2f1` failed, `3t` goes. */
function pods(text: string): readonly Pod[] {
  return text.split(' ').flatMap((word) => {
    const [, index, letter = '', failures] = /^(-|\d+)([rsft])(\d*)$/.exec(word) ?? [];
    if (index === undefined) return [];
    const annotations = {
      ...(index !== '-' && { 'batch.kubernetes.io/job-completion-index': index }),
      ...(failures && { 'batch.kubernetes.io/job-index-failure-count': failures }),
    };
    const deletion = letter === 't' ? { deletionTimestamp: startTime } : {};
    const state = { terminated: { exitCode: 1, finishedAt: startTime } };
    const container = { name: 'main', image: '', imageID: '', ready: false, restartCount: 0, state };
    return aPod(word, {
      metadata: { annotations, finalizers: [tracking], ...deletion },
      status: {
        phase: phases[letter as keyof typeof phases],
        ...(letter === 'f' && { containerStatuses: [container] }),
      },
    });
  });
}

function told(job: Job, own: readonly Pod[]): string {
  const counts = countPods(job, own);
  const plan = planJob(job, counts, own, nowMs);
  const { completedIndexes = '', failedIndexes } = jobStatus(job, counts, plan, nowMs);
  const done = `${completedIndexes}${failedIndexes ? ` failed ${failedIndexes}` : ''}`;
  if (plan.kind !== 'run') return `${done}; ${plan.kind === 'end' ? plan.outcome.reason : 'suspend'}`;
  const remove = plan.remove.map((pod) => ` -${pod.metadata.name}`).join('');
  return `${done};${plan.create.map(({ index, failures }) => ` +${index}${failures?.counted ? `(${failures.counted})` : ''}`).join('')}${remove}`;
}

const perIndex = { backoffLimitPerIndex: 1, backoffLimit: 99 };
const oldest = { startTime, completedIndexes: '0' };

// what | spec | status | pods | done; what happens
const cases: [string, Partial<Job['spec']>, JobStatus, string, string][] = [
  ['nothing yet', {}, {}, '', '; +0 +1'],
  ['one at work', {}, {}, '0r', '; +1'],
  ['gaps first', {}, {}, '1s 0r', '1; +2'],
  ['an index done earlier', {}, oldest, '', '0; +1 +2'],
  ['a failed one again', {}, {}, '0f 1r', '; +0'],
  ['one on its way out, replaced', {}, {}, '0t 1r', '; +0'],
  ['one on its way out, waited for', { podReplacementPolicy: 'Failed' }, {}, '0t 1r', ';'],
  ['two for one index', { parallelism: 4 }, {}, '0r 0r 1r', '; -0r'],
  ['one without an index', {}, {}, '-r 0r', '; --r'],
  ['an index that is no more', { completions: 1 }, {}, '3r 0r', '; -3r'],
  ['all done', {}, { completedIndexes: '0-2' }, '3s', '0-3; CompletionsReached'],
  ['done twice', {}, { completedIndexes: '0-2' }, '0s 3r', '0-2;'],
  ['a failed index again, counted', perIndex, {}, '0f 1r', '; +0(1)'],
  ['an index that failed too often', perIndex, {}, '0f1 1r', ' failed 0; +2'],
  ['indexes that failed, the rest done', perIndex, { completedIndexes: '1-3' }, '0f1', '1-3 failed 0; FailedIndexes'],
  [
    'too many failed indexes',
    { ...perIndex, maxFailedIndexes: 1 },
    { failedIndexes: '1' },
    '0f1',
    ' failed 0,1; MaxFailedIndexesExceeded',
  ],
  [
    'an index that a rule fails at once',
    {
      ...perIndex,
      podFailurePolicy: { rules: [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [1] } }] },
    },
    {},
    '0f 1r',
    ' failed 0; +2',
  ],
  [
    'failures that a rule ignores',
    {
      backoffLimit: 0,
      podFailurePolicy: { rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [1] } }] },
    },
    {},
    '0f 1r',
    '; +0',
  ],
  [
    'a failure that a rule makes final',
    { podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [1] } }] } },
    {},
    '0f 1r',
    '; PodFailurePolicy',
  ],
  [
    'enough by a success policy',
    { successPolicy: { rules: [{ succeededIndexes: '0,1' }] } },
    oldest,
    '1s 2r',
    '0,1; SuccessPolicy',
  ],
  [
    'not enough by a success policy',
    { successPolicy: { rules: [{ succeededIndexes: '0,3' }] } },
    oldest,
    '1s 2r',
    '0,1; +3',
  ],
  [
    'some of those named are enough',
    { successPolicy: { rules: [{ succeededIndexes: '0,3', succeededCount: 1 }] } },
    oldest,
    '2r',
    '0; SuccessPolicy',
  ],
  ['as many as are enough', { successPolicy: { rules: [{ succeededCount: 2 }] } }, oldest, '1s', '0,1; SuccessPolicy'],
];

test.each(cases)('planJob() with %s', (_what, spec, status, text, expected) => {
  expect(told(anIndexedJob(spec, { startTime, ...status }), pods(text))).toBe(expected);
});

test('a job with a limit per index waits for each index by itself', () => {
  const job = anIndexedJob({ ...perIndex, backoffLimitPerIndex: 5, parallelism: 4 });
  const own = pods('0f 1f2');
  const at = (ms: number) => planJob(job, countPods(job, own), own, Date.parse(startTime) + ms);
  expect(at(5_000)).toMatchObject({ create: [{ index: 2 }, { index: 3 }], waitMs: 5_000 });
  expect(at(10_000)).toMatchObject({ create: [{ index: 0 }, { index: 2 }, { index: 3 }], waitMs: 30_000 });
  expect(at(40_000)).toMatchObject({
    create: [{}, { index: 1, failures: { counted: 3, ignored: 0 } }, {}, {}],
    waitMs: 0,
  });
});

test('the last failed pod of an index is held until another works on it', () => {
  const job = anIndexedJob(perIndex);
  const released = (text: string) => countPods(job, pods(text)).releasable.map(({ metadata }) => metadata.name);
  expect(released('0f 1s')).toEqual(['1s']);
  expect(released('0f 0r1 1s')).toEqual(['1s', '0f']);
  expect(released('0f1')).toEqual(['0f1']);
});

test('the pod of an index knows it by label, annotation, host name and variable', () => {
  const job = anIndexedJob();
  const template = indexedTemplate(job, 2, { counted: 1, ignored: 3 });
  const key = 'batch.kubernetes.io/job-completion-index';
  expect(template.metadata).toEqual({
    labels: { app: 'a', [key]: '2' },
    annotations: {
      [key]: '2',
      'batch.kubernetes.io/job-index-failure-count': '1',
      'batch.kubernetes.io/job-index-ignored-failure-count': '3',
    },
  });
  expect(template.spec.hostname).toBe('work-2');
  const fieldRef = { apiVersion: 'v1', fieldPath: `metadata.labels['${key}']` };
  expect(template.spec.containers[0]?.env).toEqual([{ name: 'JOB_COMPLETION_INDEX', valueFrom: { fieldRef } }]);
  expect(completionIndex(job, { ...aPod('p'), metadata: { annotations: { [key]: '2' } } })).toBe(2);
  expect(indexedName(job, 2)).toBe('work-2-');
  const long = { ...job, metadata: { ...job.metadata, name: 'w'.repeat(63) } };
  expect(indexedName(long, 12)).toBe(`${'w'.repeat(54)}-12-`);
});
