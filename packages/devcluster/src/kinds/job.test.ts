import { expect, test } from 'vitest';
import { jobs } from './job.js';
import { created, createErrors, row, updateErrors } from './testing/write.js';

const podSpec = { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox' }] };
const job = (spec: object = {}) => ({
  metadata: { name: 'it', uid: 'u1' },
  spec: { template: { spec: podSpec }, ...spec },
});
const labels = {
  'batch.kubernetes.io/controller-uid': 'u1',
  'batch.kubernetes.io/job-name': 'it',
  'controller-uid': 'u1',
  'job-name': 'it',
};

test('Job gets the defaults that Kubernetes gives, and finds its pods by its own UID', () => {
  const { spec, status } = created(jobs, { ...job(), status: { succeeded: 3 } });
  expect(spec).toMatchObject({
    parallelism: 1,
    completions: 1,
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: 'TerminatingOrFailed',
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u1' } },
    template: { metadata: { labels } },
  });
  expect(status).toEqual({});
  expect(created(jobs, job({ parallelism: 3 })).spec.completions).toBeUndefined();
});

const notHere = 'is not implemented by this server';

// spec | what is wrong with it
const invalidJobs: [object, string[]][] = [
  [{}, []],
  [{ parallelism: -1 }, ['spec.parallelism: Invalid value: -1: must be greater than or equal to 0']],
  [{ backoffLimit: -1 }, ['spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0']],
  [
    { template: { spec: { ...podSpec, restartPolicy: 'Always' } } },
    ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
  ],
  [{ completionMode: 'Indexed' }, [`spec.completionMode: Forbidden: ${notHere}`]],
  [
    { completionMode: 'Some' },
    ['spec.completionMode: Unsupported value: "Some": supported values: "Indexed", "NonIndexed"'],
  ],
  [{ podReplacementPolicy: 'Failed' }, [`spec.podReplacementPolicy: Forbidden: ${notHere}`]],
  [{ maxFailedIndexes: 1 }, [`spec.maxFailedIndexes: Forbidden: ${notHere}`]],
  [{ manualSelector: true }, ['spec.selector: Required value']],
  [
    { manualSelector: true, selector: { matchLabels: { a: 'b' } } },
    ['spec.template.metadata.labels: Invalid value: {}: `selector` does not match template `labels`'],
  ],
];

test.each(invalidJobs)('Job of %j', (spec, errors) => {
  expect(createErrors(jobs, job(spec))).toEqual(errors);
});

test('Job changes its parallelism, not its completions', () => {
  const { spec } = created(jobs, job());
  expect(updateErrors(jobs, job(), { spec: { ...spec, parallelism: 4, suspend: true } })).toEqual([]);
  expect(updateErrors(jobs, job(), { spec: { ...spec, completions: 4 } })).toEqual([
    'spec.completions: Invalid value: 4: field is immutable',
  ]);
});

// spec | status | STATUS COMPLETIONS DURATION
const rows: [object, object, string][] = [
  [{}, {}, 'Running 0/1 '],
  [{ completions: 5 }, { succeeded: 2, startTime: '2026-11-20T11:59:00Z' }, 'Running 2/5 60s'],
  [{ parallelism: 3 }, { succeeded: 1 }, 'Running 1/1 of 3 '],
  [
    {},
    {
      succeeded: 1,
      startTime: '2026-11-20T11:00:00Z',
      completionTime: '2026-11-20T11:00:05Z',
      conditions: [{ type: 'Complete', status: 'True' }],
    },
    'Complete 1/1 5s',
  ],
  [{}, { conditions: [{ type: 'Suspended', status: 'True' }] }, 'Suspended 0/1 '],
];

test.each(rows)('Job of %j and %j shows what kubectl get does', (spec, status, expected) => {
  const shown = row(jobs, { ...created(jobs, job(spec)), status });
  expect(`${shown.STATUS} ${shown.COMPLETIONS} ${shown.DURATION}`).toBe(expected);
});
