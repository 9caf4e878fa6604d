import {
  BalloonPolicy,
  balloonControllers,
  type CanaryAnswer,
  installBalloonCrds,
  Node,
  NodeSize,
  Pod,
  type PriorityMode,
  verifyPriority,
} from '@slipway/balloons';
import { type ClusterOptions, startCluster } from '@slipway/devcluster';
import { apiVersionOf, type Kube, silentLog } from '@slipway/kube';
import { describe, expect, test, vi } from 'vitest';

// The canary of `slipway node verify-priority` on clusters of several versions and gates.

type Mode = Exclude<PriorityMode, 'Auto'>;

const gate = { InPlacePodVerticalScalingSchedulerPreemption: true };
const gated = { 'kube-apiserver': gate, 'kube-scheduler': gate, kubelet: gate };
/** All say that resizes do not preempt there, and the kubelet does not know. */
const halfGated = { 'kube-apiserver': gate, 'kube-scheduler': gate };

/** Tries a mode on a node of a cluster that has balloons. */
async function tryMode(mode: Mode, options: ClusterOptions = {}): Promise<readonly CanaryAnswer[]> {
  const cluster = await startCluster({ nodes: 1, log: silentLog, ...options });
  const stopping = new AbortController();
  const kube = cluster.kube();
  await installBalloonCrds(kube);
  const work = Promise.resolve(balloonControllers({ kube, log: silentLog }).start(stopping.signal));
  try {
    await cluster.ready();
    const kind = { apiVersion: apiVersionOf(BalloonPolicy), kind: BalloonPolicy.kind };
    await kube.resource(BalloonPolicy).create({ ...kind, metadata: { name: 'all' }, spec: { priorityMode: mode } });
    await vi.waitFor(async () => {
      const size = await kube.resource(NodeSize).find({ name: 'n1' });
      expect(size?.status?.lastResize).toBeDefined();
    }, 20_000);
    const before = await leftovers(kube);
    const place = { node: 'n1', namespace: 'kube-system', image: 'registry.k8s.io/pause:3.10' };
    const seen = { ...place, mode, freeMilliCpu: 4_000n, watchMs: 800 };
    const answers = await verifyPriority(kube, seen, stopping.signal);
    // The taint of a cordoned node is removed by a controller, a moment after it is uncordoned.
    await vi.waitFor(async () => expect(await leftovers(kube)).toEqual(before), 10_000);
    return answers;
  } finally {
    stopping.abort();
    await work;
    await cluster.stop();
  }
}

/** What a canary could leave behind. */
async function leftovers(kube: Kube): Promise<object> {
  const { spec, metadata } = await kube.resource(Node).get({ name: 'n1' });
  const pods = await kube.resource(Pod).list({ labelSelector: 'balloons.slipway.dev/canary' });
  const classes = {
    group: 'scheduling.k8s.io',
    version: 'v1',
    kind: 'PriorityClass',
    plural: 'priorityclasses',
    namespaced: false,
  };
  const { items } = await kube.resource(classes).list({ labelSelector: 'balloons.slipway.dev/canary' });
  return { spec, annotations: metadata.annotations, pods: pods.items, classes: items };
}

const told = (answers: readonly CanaryAnswer[]) => answers.map(({ answer }) => answer).join(' ');

describe('verifyPriority()', () => {
  test.each<[Mode, string, ClusterOptions, string]>([
    ['Native', 'of ours', {}, 'yes yes yes yes yes'],
    ['Polite', '1.34', { version: '1.34' }, 'yes yes yes'],
    ['Protected', '1.37 with the gate', { version: '1.37', componentGates: gated }, 'yes yes yes yes'],
  ])(
    'finds mode %s safe on a cluster %s',
    async (mode, _what, options, answers) => {
      const tried = await tryMode(mode, options);
      expect(told(tried), JSON.stringify(tried)).toBe(answers);
    },
    60_000,
  );

  test('finds a kubelet that evicts for a critical pod that grows, though everything said that none does', async () => {
    const answers = await tryMode('Protected', { version: '1.37', componentGates: halfGated });
    expect(answers).toEqual([
      {
        check: 'a balloon that grows displaces no pod',
        answer: 'no',
        message: 'slipway-canary-bystander-n1: it was ended: Preempting',
      },
    ]);
  }, 60_000);
});
