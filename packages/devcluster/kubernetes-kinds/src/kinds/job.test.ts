import type { KubeObject } from '@slipway/kube';
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

const indexed = { completionMode: 'Indexed', completions: 3 };
const failing = (...rules: object[]) => ({ podFailurePolicy: { rules } });
const rule = 'spec.podFailurePolicy.rules[0]';

// spec | what is wrong with it
const invalidJobs: [object, string[]][] = [
  [{}, []],
  [{ parallelism: -1 }, ['spec.parallelism: Invalid value: -1: must be greater than or equal to 0']],
  [{ backoffLimit: -1 }, ['spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0']],
  [
    { template: { spec: { ...podSpec, restartPolicy: 'Always' } } },
    ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
  ],
  [
    { completionMode: 'Indexed', parallelism: 1 },
    ['spec.completions: Required value: when completion mode is Indexed'],
  ],
  [{ ...indexed, backoffLimitPerIndex: 1, maxFailedIndexes: 2 }, []],
  [
    { completionMode: 'Some' },
    ['spec.completionMode: Unsupported value: "Some": supported values: "NonIndexed", "Indexed"'],
  ],
  [{ podReplacementPolicy: 'Failed' }, []],
  [
    { podReplacementPolicy: 'Never' },
    ['spec.podReplacementPolicy: Unsupported value: "Never": supported values: "Failed", "TerminatingOrFailed"'],
  ],
  [
    { maxFailedIndexes: 1 },
    [
      'spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified',
      'spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode',
    ],
  ],
  [
    { ...indexed, backoffLimitPerIndex: 1, maxFailedIndexes: 4 },
    ['spec.maxFailedIndexes: Invalid value: 4: must be less than or equal to completions'],
  ],
  [{ ...indexed, completions: 100_001, parallelism: 20_000 }, []],
  [
    { ...indexed, completions: 100_001, parallelism: 10_001, backoffLimitPerIndex: 1 },
    [
      'spec.maxFailedIndexes: Required value: must be specified when completions is above 100000',
      'spec.parallelism: Invalid value: 10001: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index',
    ],
  ],
  [
    { ...indexed, completions: 100_001, backoffLimitPerIndex: 1, maxFailedIndexes: 10_001 },
    [
      'spec.maxFailedIndexes: Invalid value: 10001: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index',
    ],
  ],
  [failing({ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }), []],
  [failing({ action: 'FailJob', onExitCodes: { containerName: 'main', operator: 'In', values: [1, 42] } }), []],
  [
    failing({ action: 'FailIndex', onExitCodes: { operator: 'In', values: [1] } }),
    [`${rule}.action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set`],
  ],
  [
    failing({ action: 'Stop' }),
    [
      `${rule}.action: Unsupported value: "Stop": supported values: "Count", "FailIndex", "FailJob", "Ignore"`,
      `${rule}: Invalid value: null: specifying one of OnExitCodes and OnPodConditions is required`,
    ],
  ],
  [
    failing({ action: 'Count', onExitCodes: { containerName: 'x', operator: 'In', values: [2, 0, 2] } }),
    [
      `${rule}.onExitCodes.containerName: Invalid value: "x": must be one of the container or initContainer names in the pod template`,
      `${rule}.onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator`,
      `${rule}.onExitCodes.values[2]: Duplicate value: 2`,
      `${rule}.onExitCodes.values: Invalid value: [2,0,2]: must be ordered`,
    ],
  ],
  [
    { ...failing(), podReplacementPolicy: 'TerminatingOrFailed' },
    ['spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"'],
  ],
  [
    { ...failing(), template: { spec: { ...podSpec, restartPolicy: 'OnFailure' } } },
    [
      'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
    ],
  ],
  [{ ...indexed, successPolicy: { rules: [{ succeededIndexes: '0,2', succeededCount: 1 }] } }, []],
  [
    { successPolicy: { rules: [{ succeededCount: 1 }] } },
    ['spec.successPolicy: Invalid value: {"rules":[{"succeededCount":1}]}: requires indexed completion mode'],
  ],
  [
    { ...indexed, successPolicy: { rules: [] } },
    [
      'spec.successPolicy.rules: Required value: at least one rules must be specified when the successPolicy is specified',
    ],
  ],
  [
    {
      ...indexed,
      successPolicy: { rules: [{ succeededIndexes: '2,1' }, { succeededIndexes: '1-3' }, { succeededCount: 4 }, {}] },
    },
    [
      'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "2,1": error parsing succeededIndexes: non-increasing order, previous: 2, current: 1',
      'spec.successPolicy.rules[1].succeededIndexes: Invalid value: "1-3": error parsing succeededIndexes: too large index: "3"',
      'spec.successPolicy.rules[2].succeededCount: Invalid value: 4: must be less than or equal to 3 (the number of specified completions)',
      'spec.successPolicy.rules[3]: Required value: at least one of succeededCount or succeededIndexes must be specified',
    ],
  ],
  [
    { manualSelector: true },
    [
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`',
    ],
  ],
  [
    { manualSelector: true, selector: { matchLabels: { a: 'b' } } },
    ['spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`'],
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

const queued = { suspend: true, template: { spec: { ...podSpec, nodeSelector: { zone: 'a' } } } };
const withCpu = (containers: readonly object[]) =>
  containers.map((container) => ({ ...container, resources: { requests: { cpu: '2' } } }));

// status before | version | change of the pod template | the errors
const templateChanges: [object, string, object, string[]][] = [
  [{}, '1.37', { nodeSelector: { zone: 'b' }, tolerations: [{ key: 'a', operator: 'Exists' }] }, []],
  [{}, '1.37', { affinity: { nodeAffinity: {} }, schedulingGates: [{ name: 'a' }] }, []],
  [{}, '1.37', { cpu: '2' }, []],
  [{ startTime: '2026-01-01T00:00:00Z' }, '1.37', { nodeSelector: {} }, ['spec.template']],
  [
    { startTime: '2026-01-01T00:00:00Z', conditions: [{ type: 'Suspended', status: 'True' }] },
    '1.37',
    { nodeSelector: {} },
    [],
  ],
  [{ active: 1 }, '1.37', { nodeSelector: {} }, ['spec.template']],
  [{}, '1.37', { affinity: { podAffinity: {} } }, ['spec.template.spec']],
  [{}, '1.37', { hostNetwork: true }, ['spec.template.spec']],
  [{}, '1.35', { nodeSelector: { zone: 'b' } }, []],
  [{}, '1.35', { cpu: '2' }, ['spec.template']],
];

test.each(templateChanges)(
  'suspended Job with status %j in %s changes its template: %j',
  (status, version, change, expected) => {
    const old: KubeObject = { ...created(jobs, job(queued)), status };
    const { cpu, ...fields } = change as { cpu?: string };
    const pod = { ...old.spec.template.spec, ...fields };
    if (cpu) pod.containers = withCpu(pod.containers);
    const spec = { ...old.spec, suspend: false, template: { ...old.spec.template, spec: pod } };
    const errors = jobs.validateUpdate({ ...old, spec }, old, '', version);
    expect(errors.map(({ field }) => field)).toEqual(expected);
  },
);

test('Job with indexes changes its completions as long as all of them may run at once', () => {
  const { spec } = created(jobs, job({ ...indexed, parallelism: 3 }));
  const resized = (completions: number, parallelism: number) =>
    updateErrors(jobs, job({ ...indexed, parallelism: 3 }), { spec: { ...spec, completions, parallelism } });
  expect(resized(5, 5)).toEqual([]);
  expect(resized(5, 3)).toEqual([
    'spec.completions: Invalid value: 5: can only be modified in tandem with spec.parallelism',
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
