import type { Job } from '@slipway/kube-objects/kinds/api/jobs';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { aPod } from '@slipway/kube-objects/testing/objects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countPods, isTracked, tracking } from './count-pods.js';
import { jobStatus } from './job-status.js';
import { planJob } from './plan-job.js';
import { aJob, nowMs, startTime } from './testing/a-job.js';

const phases = { r: 'Running', p: 'Pending', s: 'Succeeded', f: 'Failed', t: 'Running' } as const;
/** One letter per pod: `r` runs, `p` pending, `s` succeeded, `f` failed, `t` terminating; ended ones long ago. */
function pods(letters: string): readonly Pod[] {
  return [...letters].map((letter, index) =>
    aPod(`p${index}`, {
      metadata: {
        uid: `u${index}`,
        finalizers: [tracking],
        ...(letter === 't' && { deletionTimestamp: startTime }),
      },
      status: { phase: phases[letter as keyof typeof phases] },
    }),
  );
}

const told = (job: Job, letters: string) => {
  const own = pods(letters);
  const plan = planJob(job, countPods(job, own), own, nowMs);
  if (plan.kind === 'end') return `${plan.outcome.reason} -${plan.remove.length}`;
  return plan.kind === 'run' ? `+${plan.create.length} -${plan.remove.length}` : `suspend -${plan.remove.length}`;
};
const queue = { completions: undefined } as unknown as Partial<Job['spec']>;

// what | spec | pods | plan
const cases: [string, Partial<Job['spec']>, string, string][] = [
  ['nothing there yet', {}, '', '+2 -0'],
  ['as many as may', {}, 'rp', '+0 -0'],
  ['one done', {}, 'sr', '+1 -0'],
  ['the last under way', {}, 'ssr', '+0 -0'],
  ['all done', {}, 'sss', 'CompletionsReached -0'],
  ['more than enough', {}, 'sssr', 'CompletionsReached -1'],
  ['one failed', {}, 'fr', '+1 -0'],
  ['one deleted', {}, 'tr', '+1 -0'],
  ['too many failed', {}, 'ffr', 'BackoffLimitExceeded -1'],
  ['too many at once', { parallelism: 1 }, 'rrr', '+0 -2'],
  ['none at once', { parallelism: 0 }, 'r', '+0 -1'],
  ['a deadline passed', { activeDeadlineSeconds: 60 }, 'r', 'DeadlineExceeded -1'],
  ['a deadline to come', { activeDeadlineSeconds: 7200 }, 'rr', '+0 -0'],
  ['suspended', { suspend: true }, 'rr', 'suspend -2'],
  ['a queue of work', queue, '', '+2 -0'],
  ['a queue of work, one done', queue, 'sr', '+0 -0'],
  ['a queue of work, all done', queue, 'ss', 'CompletionsReached -0'],
];

test.each(cases)('planJob() with %s', (_what, spec, letters, expected) => {
  expect(told(aJob(spec), letters)).toBe(expected);
});

test('what was decided stays decided', () => {
  const conditions = [{ type: 'FailureTarget', status: 'True', reason: 'Why' }] as const;
  expect(told(aJob({}, { startTime, conditions }), 'sss')).toBe('Why -0');
});

test.each([
  [1, 10_000],
  [2, 20_000],
  [3, 40_000],
  [9, 600_000],
])('after %i failures a new pod waits %i ms', (failures, waitMs) => {
  const finishedAt = new Date(nowMs).toISOString();
  const state = { terminated: { exitCode: 1, finishedAt } };
  const container = { name: 'main', image: 'image', imageID: '', ready: false, restartCount: 0, state };
  const failed = pods('f'.repeat(failures)).map((pod) => ({
    ...pod,
    status: { ...pod.status, containerStatuses: [container] },
  }));
  const job = aJob({ backoffLimit: 20 });
  expect(planJob(job, countPods(job, failed), failed, nowMs)).toMatchObject({ create: [], waitMs });
  expect(planJob(job, countPods(job, failed), failed, nowMs + waitMs)).toMatchObject({ create: [{}, {}], waitMs: 0 });
});

test('any story, interrupted anywhere: each pod is counted once', () => {
  const ends = fc.array(fc.constantFrom('s', 'f', 't'), { maxLength: 8 });
  const steps = fc.array(fc.tuple(fc.constantFrom('write', 'release', 'lose'), fc.nat(7)), { maxLength: 40 });
  fc.assert(
    fc.property(ends, steps, (letters, story) => {
      let job = aJob({ completions: 100, backoffLimit: 100 });
      let own = pods(letters.join(''));
      const write = () => {
        const counts = countPods(job, own);
        job = { ...job, status: jobStatus(job, counts, planJob(job, counts, own, nowMs), nowMs) };
      };
      const release = (pod: Pod | undefined) => {
        const { succeeded = [], failed = [] } = job.status?.uncountedTerminatedPods ?? {};
        if (!pod || ![...succeeded, ...failed].includes(pod.metadata.uid ?? '')) return;
        own = own.map((each) => (each === pod ? { ...pod, metadata: { ...pod.metadata, finalizers: [] } } : each));
      };
      for (const [what, index] of story) {
        if (what === 'write') write();
        else if (what === 'release') release(own[index]);
        // Only a pod that nothing holds can vanish.
        else own = own.filter((pod, at) => at !== index || isTracked(pod));
      }
      write();
      for (const pod of own) release(pod);
      write();
      const succeeded = letters.filter((letter) => letter === 's').length;
      expect([job.status?.succeeded ?? 0, job.status?.failed ?? 0]).toEqual([succeeded, letters.length - succeeded]);
      expect(job.status?.uncountedTerminatedPods).toEqual({});
    }),
  );
});
