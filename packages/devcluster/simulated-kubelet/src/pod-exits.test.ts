import type { Container, Pod, PodSpec, PodStatus } from '@slipway/kube-objects/kinds/api/pods';
import { versionProfiles } from '@slipway/kube-objects/rules/version-profile';
import { aPod } from '@slipway/kube-objects/testing/objects';
import { summarizePod } from '@slipway/kubernetes-kinds/kinds/pod-columns';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { instantPulls } from './images/instant-pulls.js';
import { podStatusAt } from './status/pod-status.js';
import { statusFacts } from './testing/status-facts.js';
import { nextMomentInMs } from './timeline/container-at.js';
import { containerEvents } from './timeline/container-events.js';
import { noDelays, podTimeline } from './timeline/pod-timeline.js';
import { exited } from './timeline/timeline-changes.js';

const place = { hostIP: '172.18.0.2', podIP: '10.128.0.2' };
const facts = statusFacts(place);
const admittedAtMs = Date.UTC(2026, 0, 1);
const container = (name: string, more: Partial<Container> = {}): Container => ({ name, image: 'image', ...more });
const main = [container('main')];

function told(exits: Readonly<Record<string, string>>, spec: Partial<PodSpec> = {}): Pod {
  const annotations = Object.fromEntries(
    Object.entries(exits).map(([name, exit]) => [`sim.slipway.dev/${name}`, exit]),
  );
  return aPod('p', { metadata: { annotations, uid: 'uid-1' }, spec: { containers: main, ...spec }, status: {} });
}

/** The statuses of a pod at these seconds, each written over the one before, as a kubelet does. */
function follow(pod: Pod, seconds: readonly number[]): readonly PodStatus[] {
  const timeline = podTimeline(
    pod,
    noDelays,
    instantPulls(noDelays, () => true),
  );
  let status = pod.status ?? {};
  return seconds.map((second) => {
    status = podStatusAt({ ...pod, status }, timeline, admittedAtMs, second * 1000, facts);
    return status;
  });
}

/** As `kubectl get pod` shows it at some second: READY STATUS RESTARTS, and the phase. */
function shown(pod: Pod, seconds: readonly number[]): readonly string[] {
  return follow(pod, seconds).map((status, index) => {
    const {
      ready,
      status: text,
      restarts,
    } = summarizePod({ ...pod, status }, admittedAtMs + (seconds[index] ?? 0) * 1000);
    return `${ready} ${text} ${restarts} ${status.phase}`;
  });
}

// restart policy | with what the program is told to exit, after 5 s | 1 s and 15 s later
test.each([
  ['Always', 0, ['1/1 Running 1 (1s ago) Running', '1/1 Running 1 (15s ago) Running']],
  ['OnFailure', 0, ['0/1 Completed 0 Succeeded', '0/1 Completed 0 Succeeded']],
  ['OnFailure', 3, ['1/1 Running 1 (1s ago) Running', '1/1 Running 1 (15s ago) Running']],
  ['Never', 0, ['0/1 Completed 0 Succeeded', '0/1 Completed 0 Succeeded']],
  ['Never', 3, ['0/1 Error 0 Failed', '0/1 Error 0 Failed']],
] as const)('a program that is told to exit: %s with %i', (restartPolicy, code, expected) => {
  const pod = told({}, { restartPolicy });
  const planned = podTimeline(
    pod,
    noDelays,
    instantPulls(noDelays, () => true),
  );
  const timeline = exited(pod, planned, { container: 'main', code }, 5_000);
  const seen = [6_000, 20_000].map((atMs) => {
    const status = podStatusAt(pod, timeline, admittedAtMs, atMs, facts);
    const { ready, status: text, restarts } = summarizePod({ ...pod, status }, admittedAtMs + atMs);
    expect(status.containerStatuses?.[0]?.state.terminated?.exitCode ?? code).toBe(code);
    return `${ready} ${text} ${restarts} ${status.phase}`;
  });
  expect(seen).toEqual(expected);
});

// of the pod | of the container | rules with exit codes to restart at | how it exits | 2 s later
test.each([
  ['Always', 'Never', undefined, 3, '0/1 Error 0 Failed'],
  ['Always', 'Never', undefined, 0, '0/1 Completed 0 Succeeded'],
  ['Always', 'OnFailure', undefined, 0, '0/1 Completed 0 Succeeded'],
  ['Never', 'OnFailure', undefined, 3, '0/1 CrashLoopBackOff 1 (0s ago) Running'],
  ['Never', 'Always', undefined, 0, '0/1 CrashLoopBackOff 1 (0s ago) Running'],
  ['Never', 'Never', { operator: 'In', values: [42] }, 42, '0/1 CrashLoopBackOff 1 (0s ago) Running'],
  ['Never', 'Never', { operator: 'In', values: [42] }, 3, '0/1 Error 0 Failed'],
  ['Always', 'Never', { operator: 'NotIn', values: [0] }, 3, '0/1 CrashLoopBackOff 1 (0s ago) Running'],
  ['Always', 'Never', { operator: 'NotIn', values: [0] }, 0, '0/1 Completed 0 Succeeded'],
] as const)(
  'a container has a restart policy of its own: %s, %s, %j, exit %i',
  (ofPod, restartPolicy, exitCodes, code, expected) => {
    const restartPolicyRules = exitCodes ? [{ action: 'Restart', exitCodes }] : [];
    const pod = told(
      { main: `exit=${code},after=1s` },
      { restartPolicy: ofPod, containers: [container('main', { restartPolicy, restartPolicyRules })] },
    );
    expect(shown(pod, [2])).toEqual([expected]);
  },
);

test('an init container that is not to be restarted fails a pod whose containers always are', () => {
  const once = container('i', { restartPolicy: 'Never' });
  const pod = told({ i: 'exit=1,after=1s' }, { restartPolicy: 'Always', initContainers: [once] });
  expect(follow(pod, [2, 60]).map(({ phase }) => phase)).toEqual(['Failed', 'Failed']);
});

test('a pod runs while one of its containers is restarted, and others ended for good', () => {
  const containers = [container('main'), container('once', { restartPolicy: 'Never' })];
  const pod = told({ main: 'exit=1,after=1s', once: 'exit=1,after=1s' }, { containers });
  expect(follow(pod, [2, 300]).map(({ phase }) => phase)).toEqual(['Running', 'Running']);
});

test('a program that does not run is not told to exit, and an init container does what was settled', () => {
  const pod = told({ main: 'exit=0,after=1s', i: 'exit=0,after=1h' }, { ...init, restartPolicy: 'Never' });
  const planned = podTimeline(
    pod,
    noDelays,
    instantPulls(noDelays, () => true),
  );
  expect(exited(pod, planned, { container: 'main', code: 3 }, 5_000)).toEqual(planned);
  expect(exited(pod, planned, { container: 'i', code: 3 }, 5_000)).toEqual(planned);
});

const init = { initContainers: [container('i')] };
// what the containers do | spec | at seconds | as shown
const cases: [string, Record<string, string>, Partial<PodSpec>, number[], string[]][] = [
  [
    'Always, failing',
    { main: 'exit=1,after=5s' },
    {},
    [0, 5, 10, 20, 25],
    [
      '1/1 Running 0 Running',
      '1/1 Running 1 (0s ago) Running',
      '0/1 CrashLoopBackOff 1 (0s ago) Running',
      '1/1 Running 2 (10s ago) Running',
      '0/1 CrashLoopBackOff 2 (0s ago) Running',
    ],
  ],
  [
    'Always, succeeding, is restarted as well',
    { main: 'exit=0,after=5s' },
    { restartPolicy: 'Always' },
    [4, 10],
    ['1/1 Running 0 Running', '0/1 CrashLoopBackOff 1 (0s ago) Running'],
  ],
  [
    'OnFailure, succeeding',
    { main: 'exit=0,after=5s' },
    { restartPolicy: 'OnFailure' },
    [4, 5, 500],
    ['1/1 Running 0 Running', '0/1 Completed 0 Succeeded', '0/1 Completed 0 Succeeded'],
  ],
  [
    'OnFailure, failing',
    { main: 'exit=3,after=5s' },
    { restartPolicy: 'OnFailure' },
    [10],
    ['0/1 CrashLoopBackOff 1 (0s ago) Running'],
  ],
  [
    'Never, failing',
    { main: 'exit=137,after=5s' },
    { restartPolicy: 'Never' },
    [4, 5, 900],
    ['1/1 Running 0 Running', '0/1 Error 0 Failed', '0/1 Error 0 Failed'],
  ],
  [
    'Never, one of two done',
    { a: 'exit=0,after=5s', b: 'exit=1,after=9s' },
    { restartPolicy: 'Never', containers: [container('a'), container('b')] },
    [4, 5, 9],
    ['2/2 Running 0 Running', '1/2 NotReady 0 Running', '0/2 Completed 0 Failed'],
  ],
  [
    'a failing init container that is tried again',
    { i: 'exit=1,after=2s' },
    init,
    [1, 4, 14, 16],
    [
      '0/1 Init:0/1 0 Pending',
      '0/1 Init:CrashLoopBackOff 1 (0s ago) Pending',
      '0/1 Init:0/1 2 (10s ago) Pending',
      '0/1 Init:CrashLoopBackOff 2 (0s ago) Pending',
    ],
  ],
  [
    'a failing init container that is not',
    { i: 'exit=1,after=2s' },
    { ...init, restartPolicy: 'Never' },
    [1, 2],
    ['0/1 Init:0/1 0 Pending', '0/1 Init:Error 0 Failed'],
  ],
  [
    'an init container that takes its time',
    { i: 'exit=0,after=7s' },
    init,
    [6, 7],
    ['0/1 Init:0/1 0 Pending', '1/1 Running 0 Running'],
  ],
  [
    'a sidecar stops with the last container',
    { main: 'exit=0,after=5s' },
    { restartPolicy: 'Never', initContainers: [container('s', { restartPolicy: 'Always' })] },
    [4, 5],
    ['2/2 Running 0 Running', '0/2 Completed 0 Succeeded'],
  ],
  [
    'an annotation that cannot be read changes nothing',
    { main: 'exit=often' },
    { restartPolicy: 'Never' },
    [900],
    ['1/1 Running 0 Running'],
  ],
];
test.each(cases)('podStatusAt() %s', (_, exits, spec, seconds, expected) => {
  expect(shown(told(exits, spec), seconds)).toEqual(expected);
});

test('podStatusAt() of a crash loop says what it waits for and how the container ended', () => {
  const [status] = follow(told({ main: 'exit=2,after=5s' }), [10]);
  expect(status?.containerStatuses?.[0]).toMatchObject({
    ready: false,
    started: false,
    restartCount: 1,
    state: {
      waiting: {
        reason: 'CrashLoopBackOff',
        message: 'back-off 10s restarting failed container=main pod=p_default(uid-1)',
      },
    },
    lastState: {
      terminated: {
        exitCode: 2,
        reason: 'Error',
        startedAt: '2026-01-01T00:00:05Z',
        finishedAt: '2026-01-01T00:00:10Z',
      },
    },
  });
  const [late] = follow(told({ main: 'exit=2,after=5s' }), [10_000 - 1]);
  expect(late?.containerStatuses?.[0]?.state.waiting?.message).toMatch(/^back-off 5m0s /);
});

test('podStatusAt() says why a finished pod is not ready', () => {
  const conditionsOf = (exit: string) =>
    follow(told({ main: exit }, { restartPolicy: 'Never' }), [60])[0]?.conditions?.map(
      ({ type, status, reason = '' }) => `${type}=${status} ${reason}`.trim(),
    );
  expect(conditionsOf('exit=0')).toEqual([
    'PodReadyToStartContainers=False PodSandboxNotReady',
    'Initialized=True PodCompleted',
    'Ready=False PodCompleted',
    'ContainersReady=False PodCompleted',
    'PodScheduled=True',
  ]);
  expect(conditionsOf('exit=1')).toEqual([
    'PodReadyToStartContainers=False PodSandboxNotReady',
    'Initialized=True',
    'Ready=False PodFailed',
    'ContainersReady=False PodFailed',
    'PodScheduled=True',
  ]);
});

test('podStatusAt() holds a pod back until its readiness gates are met', () => {
  const pod = told({}, { readinessGates: [{ conditionType: 'example.com/a' }, { conditionType: 'example.com/b' }] });
  const withGates = (...conditions: { type: string; status: 'True' | 'False' }[]) => {
    const [status] = follow({ ...pod, status: { conditions } }, [1]);
    const of = (type: string) => status?.conditions?.find((each) => each.type === type);
    return [of('ContainersReady')?.status, of('Ready')?.status, of('Ready')?.message, status?.conditions?.length];
  };
  expect(withGates({ type: 'example.com/b', status: 'False' })).toEqual([
    'True',
    'False',
    'corresponding condition of pod readiness gate "example.com/a" does not exist., ' +
      'the status of pod readiness gate "example.com/b" is not "True", but False',
    6,
  ]);
  expect(withGates({ type: 'example.com/a', status: 'True' }, { type: 'example.com/b', status: 'True' })).toEqual([
    'True',
    'True',
    undefined,
    7,
  ]);
});

test('containerEvents() reports restarts and back-off', () => {
  const pod = told({ main: 'exit=1,after=5s' });
  const all = containerEvents(
    pod,
    podTimeline(
      pod,
      noDelays,
      instantPulls(noDelays, () => true),
    ),
    0,
    20_000,
    versionProfiles['v1.37'],
  );
  expect(all.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
    'Normal Pulled',
    'Normal Created',
    'Normal Started',
    'Warning BackOff',
    'Normal Pulled',
    'Normal Created',
    'Normal Started',
  ]);
  expect(all[3]?.message).toBe('Back-off restarting failed container main in pod p_default(uid-1)');
});

const exit = fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 40 }));
const stories = fc.record({
  restartPolicy: fc.constantFrom('Always', 'OnFailure', 'Never'),
  exits: fc.dictionary(fc.constantFrom('i', 's', 'a', 'b'), exit, { noNullPrototype: true }),
});
const podOf = ({ restartPolicy, exits }: { restartPolicy: string; exits: Record<string, [number, number]> }) =>
  told(
    Object.fromEntries(Object.entries(exits).map(([name, [code, after]]) => [name, `exit=${code},after=${after}s`])),
    {
      restartPolicy: restartPolicy as 'Always',
      initContainers: [container('i'), container('s', { restartPolicy: 'Always' })],
      containers: [container('a'), container('b')],
    },
  );

test('any story: restarts only grow, a finished pod stays as it is, and only running pods are ready', () => {
  fc.assert(
    fc.property(
      stories,
      fc.array(fc.integer({ min: 0, max: 4_000 }), { minLength: 2, maxLength: 8 }),
      (story, times) => {
        const statuses = follow(
          podOf(story),
          times.toSorted((a, b) => a - b),
        );
        for (const [index, status] of statuses.entries()) {
          const before = statuses[index - 1];
          const ready = status.conditions?.find(({ type }) => type === 'Ready')?.status;
          if (ready === 'True') expect(status.phase).toBe('Running');
          if (!before) continue;
          if (before.phase === 'Succeeded' || before.phase === 'Failed') expect(status).toEqual(before);
          for (const [which, { restartCount }] of (status.containerStatuses ?? []).entries()) {
            expect(restartCount).toBeGreaterThanOrEqual(before.containerStatuses?.[which]?.restartCount ?? 0);
          }
        }
      },
    ),
  );
});

test('any story: nothing changes before the next moment', () => {
  fc.assert(
    fc.property(stories, fc.integer({ min: 0, max: 4_000_000 }), (story, atMs) => {
      const pod = podOf(story);
      const timeline = podTimeline(
        pod,
        noDelays,
        instantPulls(noDelays, () => true),
      );
      const status = podStatusAt(pod, timeline, admittedAtMs, atMs, facts);
      const waitMs = nextMomentInMs(pod, timeline, atMs) ?? 1_000_000;
      const later = podStatusAt({ ...pod, status }, timeline, admittedAtMs, atMs + waitMs - 1, facts);
      expect(later).toEqual(status);
    }),
  );
});
