import type { Container, PodSpec, PodStatus } from '@slipway/kube-objects/kinds/api/pods';
import { versionProfiles } from '@slipway/kube-objects/rules/version-profile';
import { aPod } from '@slipway/kube-objects/testing/objects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { instantPulls } from '../images/instant-pulls.js';
import { podStatusAt } from '../status/pod-status.js';
import { statusFacts } from '../testing/status-facts.js';
import { containerAt, nextMomentInMs } from './container-at.js';
import { containerEvents } from './container-events.js';
import { noDelays, type PodDelays, podTimeline } from './pod-timeline.js';
import { exited, stopped } from './timeline-changes.js';

const delays: PodDelays = { pullMs: 1000, startMs: 100, initMs: 500, readyMs: 2000, stopMs: 0, resizeMs: 0 };
const place = { hostIP: '172.18.0.2', podIP: '10.128.0.2' };
const facts = statusFacts(place);
const container = (name: string, more: Partial<Container> = {}): Container => ({
  name,
  image: `image-${name}`,
  ...more,
});
const bare = (spec: Partial<PodSpec>) => aPod('p', { spec, status: { phase: 'Pending', qosClass: 'BestEffort' } });
const admittedAtMs = Date.UTC(2026, 0, 1);

/** `name:state` of every container, and what the conditions say. */
function told(status: PodStatus): string {
  const states = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].map(
    ({ name, state, ready }) => {
      const kind = state.running ? 'running' : state.terminated ? state.terminated.reason : state.waiting?.reason;
      return `${name}:${kind}${ready ? '*' : ''}`;
    },
  );
  const holding = status.conditions?.filter((each) => each.status === 'True').map(({ type }) => type) ?? [];
  const shown = ['Initialized', 'Ready'].filter((type) => holding.includes(type));
  return [status.phase, ...states, ...shown].join(' ');
}

test('podStatusAt() follows a pod with an init container, a sidecar and two containers', () => {
  const pod = bare({
    initContainers: [container('i'), container('s', { restartPolicy: 'Always' })],
    containers: [container('a'), container('b')],
  });
  const timeline = podTimeline(
    pod,
    delays,
    instantPulls(delays, () => false),
  );
  const at = (elapsedMs: number) => told(podStatusAt(pod, timeline, admittedAtMs, elapsedMs, facts));
  expect(at(0)).toBe('Pending i:PodInitializing s:PodInitializing a:PodInitializing b:PodInitializing');
  expect(at(1100)).toBe('Pending i:running s:PodInitializing a:PodInitializing b:PodInitializing');
  expect(at(1600)).toBe('Pending i:Completed* s:PodInitializing a:PodInitializing b:PodInitializing');
  expect(at(2700)).toBe('Pending i:Completed* s:running a:ContainerCreating b:ContainerCreating Initialized');
  expect(at(3800)).toBe('Pending i:Completed* s:running a:running b:ContainerCreating Initialized');
  expect(at(4800)).toBe('Running i:Completed* s:running* a:running b:running Initialized');
  expect(at(6800)).toBe('Running i:Completed* s:running* a:running* b:running* Initialized Ready');
  expect(nextMomentInMs(pod, timeline, 6800)).toBeUndefined();
});

test('podStatusAt() without delays is Running and Ready at once', () => {
  const pod = bare({ initContainers: [container('i')], containers: [container('a')] });
  const timeline = podTimeline(
    pod,
    noDelays,
    instantPulls(noDelays, () => false),
  );
  const status = podStatusAt(pod, timeline, admittedAtMs, 0, facts);
  expect(told(status)).toBe('Running i:Completed* a:running* Initialized Ready');
  expect(status).toMatchObject({ ...place, startTime: '2026-01-01T00:00:00Z', qosClass: 'BestEffort' });
});

// init containers | what never has its image | whether the pod was initialized, and what its containers say once it is deleted
test.each([
  [['s'], 'a', 'True', ['Completed', 'ContainerStatusUnknown']],
  [['i', 'j'], 'j', 'False', ['Completed', 'PodInitializing', 'PodInitializing']],
  [['s', 'j'], 'j', 'False', ['Completed', 'PodInitializing', 'PodInitializing']],
])('podStatusAt() of a deleted pod with %j in which %s never started', (names, lacks, initialized, expected) => {
  const initContainers = names.map((name) => container(name, name === 's' ? { restartPolicy: 'Always' } : {}));
  const pod = bare({ initContainers, containers: [container('a')] });
  const timeline = podTimeline(pod, noDelays, ({ name }, fromMs) => {
    return { pullAtMs: undefined, pulledAtMs: name === lacks ? Number.POSITIVE_INFINITY : fromMs };
  });
  const stops = new Map([...names, 'a'].map((name) => [name, { atMs: 1_000, code: 0 } as const]));
  const waitingFor = () => ({ reason: 'ErrImagePull' });
  const status = podStatusAt(pod, stopped(timeline, stops), admittedAtMs, 2_000, {
    ...statusFacts({ waitingFor }),
    end: 'deleted',
  });
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  expect(all.map(({ state }) => state.terminated?.reason ?? state.waiting?.reason)).toEqual(expected);
  expect(status.conditions?.find(({ type }) => type === 'Initialized')?.status).toBe(initialized);
});

// version | why a pod without its volumes is not ready to start containers
test.each([
  ['v1.35', undefined, undefined],
  ['v1.37', 'PodSandboxNotReady', 'no pod sandbox exists'],
] as const)('podStatusAt() of a kubelet of %s', (version, reason, message) => {
  const pod = bare({ containers: [container('a')] });
  const waits = statusFacts({ profile: versionProfiles[version], isMounted: false, podIP: undefined });
  const timeline = podTimeline(pod, delays, () => ({ pullAtMs: undefined, pulledAtMs: Number.POSITIVE_INFINITY }));
  const status = podStatusAt(pod, timeline, admittedAtMs, 0, waits);
  const [first] = status.conditions ?? [];
  expect([first?.status, first?.reason, first?.message]).toEqual(['False', reason, message]);
  expect(status.podIPs).toBeUndefined();
});

test('podStatusAt() says which containers are not ready', () => {
  const pod = bare({ containers: [container('a'), container('b')] });
  const status = podStatusAt(
    pod,
    podTimeline(
      pod,
      delays,
      instantPulls(delays, () => false),
    ),
    admittedAtMs,
    0,
    facts,
  );
  expect(status.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
    status: 'False',
    reason: 'ContainersNotReady',
    message: 'containers with unready status: [a b]',
  });
});

test('podStatusAt() of a kubelet that was away writes nothing new about a pod that runs', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999 }), fc.integer({ min: 4_000, max: 90_000 }), (milliseconds, awayMs) => {
      const pod = bare({ initContainers: [container('i')], containers: [container('a')] });
      const timeline = podTimeline(
        pod,
        delays,
        instantPulls(delays, () => false),
      );
      const atMs = admittedAtMs + milliseconds;
      const before = podStatusAt(pod, timeline, atMs, 10_000, facts);
      const resumed = { ...pod, status: before };
      const resumedAtMs = Date.parse(before.startTime ?? '');
      expect(podStatusAt(resumed, timeline, resumedAtMs, 10_000 + awayMs, facts)).toEqual(before);
    }),
  );
});

test('containerEvents() says that a sidecar is stopped when the others are done', () => {
  const pod = bare({
    initContainers: [container('beside', { restartPolicy: 'Always' })],
    containers: [container('a')],
  });
  const pulls = instantPulls(noDelays, () => true);
  const timeline = podTimeline(pod, noDelays, pulls);
  const ended = exited(
    { ...pod, spec: { ...pod.spec, restartPolicy: 'Never' } },
    timeline,
    { container: 'a', code: 0 },
    5_000,
  );
  const events = containerEvents(pod, ended, 0, 10_000, versionProfiles['v1.37']);
  expect(events).toEqual([
    { container: 'beside', type: 'Normal', reason: 'Killing', message: 'Stopping container beside' },
  ]);
});

test('podTimeline() starts nothing behind a sidecar whose startup command has not succeeded', () => {
  const startupProbe = { exec: { command: ['true'] } };
  const pod = bare({
    initContainers: [container('beside', { restartPolicy: 'Always', startupProbe })],
    containers: [container('a')],
  });
  const startsAt = (each: typeof pod) => {
    const pulls = instantPulls(noDelays, () => true);
    return podTimeline(each, noDelays, pulls).map(({ course }) => course.firstStartMs);
  };
  expect(startsAt(pod)).toEqual([0, Number.POSITIVE_INFINITY]);
  const status = { initContainerStatuses: [{ name: 'beside', started: true }] } as never;
  expect(startsAt({ ...pod, status })).toEqual([0, 0]);
});

test('containerAt() of a pod that was stopped: an init container that succeeded stays ready', () => {
  const pod = bare({ initContainers: [container('init')], containers: [container('a')] });
  const pulls = instantPulls(noDelays, () => true);
  const stops = new Map(['init', 'a'].map((name) => [name, { atMs: 1_000, code: 0 } as const]));
  const timeline = stopped(podTimeline(pod, noDelays, pulls), stops);
  expect(timeline.map((times) => containerAt(times, 2_000).isReady)).toEqual([true, false]);
});

test.each([
  ['v1.34', 'Container image "i" already present on machine', 'Created container: a', 'Started container a'],
  [
    'v1.35',
    'Container image "i" already present on machine and can be accessed by the pod',
    'Container created',
    'Container started',
  ],
] as const)('containerEvents() of a kubelet of %s', (version, ...expected) => {
  const pod = aPod('p', { spec: { containers: [{ name: 'a', image: 'i' }] } } as never);
  const timeline = podTimeline(
    pod,
    noDelays,
    instantPulls(noDelays, () => true),
  );
  const events = containerEvents(pod, timeline, -1, 0, versionProfiles[version]);
  expect(events.map(({ message }) => message)).toEqual(expected);
});

test('containerEvents() reports pulls and starts once, in order', () => {
  const pod = bare({
    containers: [container('a'), container('b', { image: 'image-a' }), container('c', { image: 'there' })],
  });
  const timeline = podTimeline(
    pod,
    delays,
    instantPulls(delays, (image) => image === 'there'),
  );
  const all = containerEvents(pod, timeline, -1, 10_000, versionProfiles['v1.34']).map(
    ({ reason, message }) => `${reason} ${message}`,
  );
  expect(all).toEqual([
    'Pulling Pulling image "image-a"',
    'Pulled Successfully pulled image "image-a" in 1000ms (1000ms including waiting)',
    'Pulled Container image "image-a" already present on machine',
    'Pulled Container image "there" already present on machine',
    'Created Created container: a',
    'Started Started container a',
    'Created Created container: b',
    'Started Started container b',
    'Created Created container: c',
    'Started Started container c',
  ]);
  const split = [
    ...containerEvents(pod, timeline, -1, 1000, versionProfiles['v1.34']),
    ...containerEvents(pod, timeline, 1000, 10_000, versionProfiles['v1.34']),
  ];
  expect(split.map(({ reason, message }) => `${reason} ${message}`)).toEqual(all);
});

test('podTimeline() pulls again when told to, and never when told not to', () => {
  const pulls = (imagePullPolicy: 'Always' | 'IfNotPresent' | 'Never', isThere: boolean) =>
    podTimeline(
      bare({ containers: [container('a', { imagePullPolicy })] }),
      delays,
      instantPulls(delays, () => isThere),
    )[0]?.pullAtMs;
  expect([
    pulls('Always', true),
    pulls('IfNotPresent', true),
    pulls('IfNotPresent', false),
    pulls('Never', false),
  ]).toEqual([0, undefined, 0, undefined]);
});
