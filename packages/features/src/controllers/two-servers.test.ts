import { type KubeObject, type KubeRequest, silentLog, sleep, type Transport } from '@slipway/kube';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Feature, type FeatureStatus } from '../api/feature.js';
import { maxUnavailableStatefulSet } from '../catalogue/max-unavailable-stateful-set.js';
import { previewChange } from '../operations/preview-change.js';
import { requestChange } from '../operations/request-change.js';
import { aCluster, type TestCluster } from '../testing/a-cluster.js';
import { featureServer } from './feature-server.js';

const gate = 'MaxUnavailableStatefulSet';
const name = gate.toLowerCase();
const [sets, users] = [6, 4];

/** A way to the API on which a server sees no lease but its own: it believes to be alone, and leads everything. */
function blind(server: string): (inner: Transport) => Transport {
  const isOwn = ({ spec }: KubeObject) => String(spec?.holderIdentity).startsWith(`${server}_`);
  const isOfServers = (path: string) => path.includes('/slipway-system/leases?');
  return (inner) => ({
    async request(request) {
      const answer = await inner.request(request);
      if (request.method !== 'GET' || !isOfServers(request.path)) return answer;
      const body = answer.body as { readonly items: readonly KubeObject[] };
      return { ...answer, body: { ...body, items: body.items.filter(isOwn) } };
    },
    async *stream(request, signal) {
      for await (const frame of inner.stream(request, signal)) {
        if (!isOfServers(request.path) || isOwn(frame.object)) yield frame;
      }
    },
  });
}

/** Two servers that both lead, whose requests take as long as `delays` says, one after the other. */
function serveTwice(cluster: TestCluster, delays: readonly number[]) {
  let requests = 0;
  const late = async (request: KubeRequest) => {
    const ms = delays[requests++ % delays.length] ?? 0;
    if (ms > 0) await sleep(cluster.clock, ms, request.signal);
  };
  const stopping = new AbortController();
  const servers = ['a', 'b'].map((identity, index) =>
    featureServer({
      kube: cluster.client(late).through(blind(identity)),
      identity,
      authors: 'Trust',
      allowDynamic: ['*'],
      definitions: [maxUnavailableStatefulSet({ dynamic: 'Live' })],
      log: silentLog,
      random: () => 0.2 + index / 2,
    }),
  );
  for (const server of servers) void server.start(stopping.signal);
  return async () => {
    stopping.abort(new Error('over'));
    const stopped = Promise.all(servers.map((server) => server.stop?.()));
    let isOver = false;
    void stopped.then(() => {
      isOver = true;
    });
    await cluster.until(() => isOver);
  };
}

/** Every version of the Feature's status that a client could have read. */
function recorded(cluster: TestCluster): { readonly statuses: readonly FeatureStatus[]; stop(): void } {
  const statuses: FeatureStatus[] = [];
  const ending = new AbortController();
  const watch = async () => {
    for await (const { object } of cluster.kube.resource(Feature).watch({ namespace: 'kube-system' }, ending.signal)) {
      if (object.metadata.name === name && object.status) statuses.push(object.status as FeatureStatus);
    }
  };
  void watch();
  return { statuses, stop: () => ending.abort() };
}

async function turn(cluster: TestCluster, to: 'On' | 'Off') {
  const preview = await previewChange(cluster.kube, cluster.feature(name) as Feature, to);
  await requestChange(cluster.kube, preview, { consent: true });
  await cluster.until(() => cluster.feature(name)?.status?.state === to, 120_000);
}

test('two leaders with any delays write one history: nothing done is lost, nothing goes back, nothing is changed twice', async () => {
  const delay = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 400 }));
  await fc.assert(
    fc.asyncProperty(fc.array(delay, { minLength: 1, maxLength: 23 }), async (delays) => {
      const cluster = aCluster({ sets, users });
      const components = ['kube-apiserver', 'kube-controller-manager'];
      cluster.processes(
        ...components.map((component) => ({ component, instance: 'one', gate, value: false, pinned: false })),
      );
      const { statuses, stop } = recorded(cluster);
      const stopServers = serveTwice(cluster, delays);
      await cluster.until(() => cluster.feature(name)?.status?.state === 'Off');
      await turn(cluster, 'On');
      await turn(cluster, 'Off');
      stop();
      await stopServers();

      for (const [index, status] of statuses.entries()) {
        const before = statuses[index - 1];
        expect(status.transition !== undefined).toBe(['TurningOn', 'TurningOff'].includes(status.state ?? ''));
        if (!before) continue;
        expect([before.state, status.state].sort().join()).not.toBe('Off,On');
        expect(status.transitions ?? 0).toBeGreaterThanOrEqual(before.transitions ?? 0);
        if (before.transition && status.transition?.id === before.transition.id) {
          const done = (of: FeatureStatus) => of.transition?.completed.map((task) => task.name) ?? [];
          expect(done(status).slice(0, done(before).length)).toEqual(done(before));
        }
      }
      expect(statuses.at(-1)).toMatchObject({ state: 'Off', transitions: 2, dangling: { count: 0 } });
      expect(cluster.statefulSets().map(({ metadata }) => metadata.generation)).toEqual([2, 2, 2, 2, 1, 1]);
    }),
    { numRuns: 25 },
  );
}, 240_000);
