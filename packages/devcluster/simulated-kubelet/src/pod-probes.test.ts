import type { Container, Pod, PodSpec } from '@slipway/kube-objects/kinds/api/pods';
import { versionProfiles } from '@slipway/kube-objects/rules/version-profile';
import { aPod } from '@slipway/kube-objects/testing/objects';
import { summarizePod } from '@slipway/kubernetes-kinds/kinds/pod-columns';
import { expect, test } from 'vitest';
import { instantPulls } from './images/instant-pulls.js';
import { podStatusAt } from './status/pod-status.js';
import { statusFacts } from './testing/status-facts.js';
import { containerEvents } from './timeline/container-events.js';
import { noDelays, podTimeline } from './timeline/pod-timeline.js';

const admittedAtMs = Date.UTC(2026, 0, 1);
const httpGet = { path: '/', port: 80 };
const every10 = { httpGet, periodSeconds: 10, successThreshold: 1, failureThreshold: 2 };

function told(
  scripts: Readonly<Record<string, string>>,
  container: Partial<Container>,
  spec: Partial<PodSpec> = {},
): Pod {
  const annotations = Object.fromEntries(
    Object.entries(scripts).map(([name, text]) => [`sim.slipway.dev/${name}`, text]),
  );
  const containers = [{ name: 'main', image: 'image', ...container }];
  return aPod('p', { metadata: { annotations, uid: 'uid-1' }, spec: { containers, ...spec }, status: {} });
}
const timelineOf = (pod: Pod) =>
  podTimeline(
    pod,
    noDelays,
    instantPulls(noDelays, () => true),
  );

/** As kubectl shows it at these seconds. */
function shown(pod: Pod, seconds: readonly number[]): readonly string[] {
  let { status = {} } = pod;
  return seconds.map((second) => {
    status = podStatusAt({ ...pod, status }, timelineOf(pod), admittedAtMs, second * 1000, statusFacts());
    const { ready, status: text, restarts } = summarizePod({ ...pod, status }, admittedAtMs + second * 1000);
    return `${ready} ${text} ${restarts}`;
  });
}

// what | scripts | container | spec | at seconds | as shown
const cases: [string, Record<string, string>, Partial<Container>, Partial<PodSpec>, number[], string[]][] = [
  [
    'a readiness probe delays readiness',
    {},
    { readinessProbe: { ...every10, initialDelaySeconds: 5 } },
    {},
    [4, 5],
    ['0/1 Running 0', '1/1 Running 0'],
  ],
  [
    'a container that ceases to be ready, and is again',
    { 'main.readiness': 'ok,fail@15s,ok@45s' },
    { readinessProbe: every10 },
    {},
    [0, 29, 30, 49, 50],
    ['1/1 Running 0', '1/1 Running 0', '0/1 Running 0', '0/1 Running 0', '1/1 Running 0'],
  ],
  [
    'a liveness probe that fails restarts, at first at once and then after a while',
    { 'main.liveness': 'fail@5s' },
    { livenessProbe: every10 },
    {},
    [19, 20, 39, 40, 50],
    [
      '1/1 Running 0',
      '1/1 Running 1 (0s ago)',
      '1/1 Running 1 (19s ago)',
      '0/1 CrashLoopBackOff 1 (0s ago)',
      '1/1 Running 2 (10s ago)',
    ],
  ],
  [
    'a pod that never restarts fails',
    { 'main.liveness': 'fail@5s' },
    { livenessProbe: every10 },
    { restartPolicy: 'Never' },
    [20],
    ['0/1 Error 0'],
  ],
  [
    'a startup probe holds the others back',
    { 'main.startup': 'fail,ok@12s', 'main.liveness': 'fail,ok@30s' },
    { startupProbe: { ...every10, failureThreshold: 9 }, livenessProbe: { ...every10, failureThreshold: 3 } },
    {},
    [19, 20, 60],
    ['0/1 Running 0', '1/1 Running 0', '1/1 Running 0'],
  ],
  [
    'a container that never starts is restarted',
    { 'main.startup': 'fail' },
    { startupProbe: every10 },
    {},
    [9, 10],
    ['0/1 Running 0', '0/1 Running 1 (0s ago)'],
  ],
];

test.each(cases)('%s', (_what, scripts, container, spec, seconds, expected) => {
  expect(shown(told(scripts, container, spec), seconds)).toEqual(expected);
});

test('people are told of each probe that failed, and of the restart that comes of it', () => {
  const { httpGet: _http, ...timing } = every10;
  const probes = { livenessProbe: every10, readinessProbe: { ...timing, tcpSocket: { port: 5 } } };
  const pod = told({ 'main.liveness': 'fail@5s', 'main.readiness': 'fail' }, probes);
  const events = containerEvents(pod, timelineOf(pod), 0, 20_000, versionProfiles['v1.37']).map(
    ({ reason, message }) => `${reason} ${message}`,
  );
  const readiness = 'Unhealthy Readiness probe failed: dial tcp: connect to port 5: connection refused';
  const liveness = 'Unhealthy Liveness probe failed: HTTP probe failed with statuscode: 500';
  expect(events.filter((event) => !event.startsWith('Pull'))).toEqual([
    liveness,
    readiness,
    liveness,
    readiness,
    'Killing Container main failed liveness probe, will be restarted',
    'Created Container created',
    'Started Container started',
    readiness,
  ]);
});
