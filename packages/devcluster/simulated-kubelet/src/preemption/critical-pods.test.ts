import { podCondition, pods } from '@slipway/kube-objects/kinds/api/pods';
import { type ProfileName, versionProfiles } from '@slipway/kube-objects/rules/version-profile';
import { describe, expect, test } from 'vitest';
import { aNode, aPodAsking, firstOf } from '../testing/resizing.js';

type Class = 'system-node-critical' | 'system-balloon';
const outOfCpu = 'OutOfcpu';
const evicts = 'evicts';
const leavesItToTheScheduler = 'Deferred until the scheduler made room';

// K7: "runs when the only failures are resources and the pod is ... priority >= 2e9; profile flag resizePreemption: kubelet (<=1.36) |
// scheduler (1.37 gate); in native profile a pod with preemptionPolicy Never never triggers it". Profile | class | new pod | resize
const cases: [ProfileName, Class, string, string][] = [
  ['v1.33', 'system-node-critical', evicts, evicts],
  ['v1.34', 'system-node-critical', evicts, evicts],
  ['v1.35', 'system-node-critical', evicts, evicts],
  ['v1.37-gate', 'system-node-critical', evicts, leavesItToTheScheduler],
  ['native', 'system-node-critical', evicts, evicts],
  ['v1.34', 'system-balloon', evicts, evicts],
  ['v1.37-gate', 'system-balloon', evicts, 'Deferred'],
  ['native', 'system-balloon', outOfCpu, 'Deferred'],
];

describe.each(cases)('K7 on %s, a pod of class %s', (name, priorityClassName, onAdmission, onResize) => {
  const profile = versionProfiles[name];
  const critical = (cpu: string) => aPodAsking('critical', { cpu }, { priorityClassName });

  test(`that is new and finds no room: ${onAdmission}`, async () => {
    await using node = await aNode({ profile });
    const victim = await node.run(aPodAsking('victim', { cpu: '3' }));
    if (onAdmission === evicts) {
      await node.run(critical('2'));
      const { status } = await node.fails(victim);
      expect(status).toMatchObject({ reason: 'Preempting', message: 'Preempted in order to admit critical pod' });
      expect(podCondition({ ...victim, ...(status && { status }) }, 'DisruptionTarget')).toMatchObject({
        status: 'True',
        reason: 'TerminationByKubelet',
        message: 'Pod was preempted by Kubelet to accommodate a critical pod.',
      });
      expect(status?.containerStatuses?.[0]?.state.terminated).toBeDefined();
      await node.isTold(victim, 'Preempting');
    } else {
      const { status } = await node.fails(await node.kube.resource(pods).create(critical('2')));
      expect(status?.reason).toBe(onAdmission);
      expect((await node.get(victim)).status?.phase).toBe('Running');
    }
  });

  test(`that grows and finds no room: ${onResize}`, async () => {
    await using node = await aNode({ profile });
    const pod = await node.run(critical('1'));
    const victim = await node.run(aPodAsking('victim', { cpu: '3' }));
    await node.resize(pod, { requests: { cpu: '2' } });
    if (onResize === evicts) {
      await node.runsWith(pod, '2');
      expect((await node.fails(victim)).status?.reason).toBe('Preempting');
    } else if (onResize === leavesItToTheScheduler) {
      await node.isTold(pod, 'ResizeDeferred');
      await node.isTold(victim, 'Preempted');
      await node.runsWith(pod, '2');
      expect(await node.told(victim)).not.toContain('Preempting');
    } else {
      const waits = await node.isPending(pod, 'Deferred');
      expect(firstOf(waits)?.resources?.requests?.cpu).toBe('1');
      expect((await node.get(victim)).status?.phase).toBe('Running');
    }
  });
});

test('K7: "No set found -> UnexpectedAdmissionError"', async () => {
  await using node = await aNode();
  const first = await node.run(aPodAsking('first', { cpu: '3' }, { priorityClassName: 'system-node-critical' }));
  const created = await node.kube
    .resource(pods)
    .create(aPodAsking('second', { cpu: '2' }, { priorityClassName: 'system-cluster-critical' }));
  const { status } = await node.fails(created);
  expect(status).toMatchObject({
    reason: 'UnexpectedAdmissionError',
    message:
      'Pod was rejected: Unexpected error while attempting to recover from admission failure: preemption: error finding a ' +
      'set of pods to preempt: no set of running pods found to reclaim resources: [(res: cpu, q: 1000), ]',
  });
  expect((await node.get(first)).status?.phase).toBe('Running');
});

test('K7: a critical pod that something else speaks against evicts no pod', async () => {
  await using node = await aNode();
  const victim = await node.run(aPodAsking('victim', { cpu: '3' }));
  const spec = { priorityClassName: 'system-node-critical', nodeSelector: { disk: 'ssd' } };
  const created = await node.kube.resource(pods).create(aPodAsking('critical', { cpu: '2' }, spec));
  expect((await node.fails(created)).status?.reason).toBe('NodeAffinity');
  expect((await node.get(victim)).status?.phase).toBe('Running');
});
