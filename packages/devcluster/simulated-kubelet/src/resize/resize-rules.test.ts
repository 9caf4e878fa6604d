import { ManualClock } from '@slipway/kube/testing';
import { nodes } from '@slipway/kube-objects/kinds/api/nodes';
import { type Pod, podCondition, pods } from '@slipway/kube-objects/kinds/api/pods';
import { type ProfileName, versionProfiles } from '@slipway/kube-objects/rules/version-profile';
import { until } from '@slipway/kube-objects/testing/until';
import { describe, expect, test } from 'vitest';
import { aNode, aPodAsking, firstOf } from '../testing/resizing.js';

const profiles: ProfileName[] = ['v1.33', 'v1.34', 'v1.35', 'v1.37-gate', 'native'];
const gibi = 1024 ** 3;

describe.each(profiles)('on %s', (name) => {
  const profile = versionProfiles[name];

  test('K9: "status.allocatedResources + resources set on running containers"', async () => {
    await using node = await aNode({ profile });
    const pod = await node.run(aPodAsking('p', { cpu: '1' }, {}, { memory: '1Gi' }));
    const { resources, allocatedResources } = firstOf(pod) ?? {};
    expect(resources).toEqual({ requests: { cpu: '1', memory: '1Gi' }, limits: { memory: '1Gi' } });
    expect(allocatedResources).toEqual(name === 'v1.33' ? undefined : { cpu: '1', memory: '1Gi' });
    expect(pod.status?.observedGeneration).toBe(name === 'v1.33' ? undefined : 1);
  });

  test('K4: what fits is granted: "clear Pending, PodResizeInProgress/True (empty reason)", then "status.resources updated, InProgress removed"', async () => {
    await using node = await aNode({ profile });
    const pod = await node.run(aPodAsking('p', { cpu: '1' }));
    const stop = new AbortController();
    const steps: string[] = [];
    const { resourceVersion = '' } = pod.metadata;
    const watching = (async () => {
      for await (const frame of node.kube.resource(pods).watch({ resourceVersion }, stop.signal)) {
        const seen = frame.object as Pod;
        const condition = podCondition(seen, 'PodResizeInProgress');
        const progress = condition ? `InProgress/${condition.status}/${condition.reason ?? ''} ` : '';
        steps.push(`${progress}${firstOf(seen)?.resources?.requests?.cpu}`);
      }
    })().catch(() => {});
    await node.resize(pod, { requests: { cpu: '2' } });
    const done = await node.runsWith(pod, '2');
    await until('all to be seen', async () => steps.length > 2);
    stop.abort();
    await watching;
    expect(steps).toEqual(['1', 'InProgress/True/ 1', '2']);
    expect(firstOf(done)?.restartCount).toBe(0);
    const events = await until('the events', async () => {
      const reasons = (await node.told(pod)).filter((reason) => reason.startsWith('Resize'));
      return reasons.length === 2 && reasons;
    });
    expect(events).toEqual(['ResizeStarted', 'ResizeCompleted']);
  });

  test('K4: what does not fit now is "PodResizePending/True/Deferred (message as K1)", and K5: retried when a pod goes', async () => {
    await using node = await aNode({ profile });
    const other = await node.run(aPodAsking('other', { cpu: '2' }));
    const pod = await node.run(aPodAsking('p', { cpu: '1' }));
    await node.resize(pod, { requests: { cpu: '3' } });
    const waits = await node.isPending(pod, 'Deferred');
    expect(podCondition(waits, 'PodResizePending')).toMatchObject({
      status: 'True',
      observedGeneration: 2,
      message: "Node didn't have enough resource: cpu, requested: 3000, used: 2000, capacity: 4000",
    });
    expect(firstOf(waits)?.resources).toEqual({ requests: { cpu: '1' } });
    await node.remove(other);
    await node.runsWith(pod, '3');
    await node.isTold(pod, 'ResizeDeferred');
  });

  test('K3: what the node can never give is "PodResizePending/True/Infeasible, never retried until the spec changes"', async () => {
    await using node = await aNode({ profile });
    const pod = await node.run(aPodAsking('p', { cpu: '1', memory: '1Gi' }));
    await node.resize(pod, { requests: { cpu: '5', memory: '9Gi' } });
    const refused = await node.isPending(pod, 'Infeasible');
    // "memory reported first if both"
    const message = `Node didn't have enough capacity: memory, requested: ${9 * gibi}, capacity: ${8 * gibi}`;
    expect(podCondition(refused, 'PodResizePending')?.message).toBe(message);
    node.machines()[0]?.setCapacity({ cpu: '8', memory: '16Gi' });
    await node.run(aPodAsking('another', { cpu: '1' }));
    expect(podCondition(await node.get(pod), 'PodResizePending')?.reason).toBe('Infeasible');
    await node.resize(pod, { requests: { cpu: '6', memory: '9Gi' } });
    await node.runsWith(pod, '6');
    await node.isTold(pod, 'ResizeInfeasible');
  });

  test('K4: "revert to allocated clears Pending"', async () => {
    await using node = await aNode({ profile });
    await node.run(aPodAsking('other', { cpu: '2' }));
    const pod = await node.run(aPodAsking('p', { cpu: '1' }));
    await node.resize(pod, { requests: { cpu: '3' } });
    await node.isPending(pod, 'Deferred');
    await node.resize(pod, { requests: { cpu: '1' } });
    await node.runsWith(pod, '1');
  });

  test('F3: a resize is all or nothing: more cpu than there is keeps memory from shrinking', async () => {
    await using node = await aNode({ profile });
    await node.run(aPodAsking('other', { cpu: '2' }));
    const pod = await node.run(aPodAsking('p', { cpu: '1', memory: '2Gi' }));
    await node.resize(pod, { requests: { cpu: '3', memory: '1Gi' } });
    const waits = await node.isPending(pod, 'Deferred');
    expect(firstOf(waits)?.resources?.requests).toEqual({ cpu: '1', memory: '2Gi' });
  });

  test('F4: less is always granted, and first: room made by one is taken by another in the same look', async () => {
    await using node = await aNode({ profile });
    const big = await node.run(aPodAsking('big', { cpu: '3' }));
    const small = await node.run(aPodAsking('small', { cpu: '1' }));
    await node.resize(small, { requests: { cpu: '3' } });
    await node.isPending(small, 'Deferred');
    await node.resize(big, { requests: { cpu: '1' } });
    await node.runsWith(big, '1');
    await node.runsWith(small, '3');
  });

  test('a container whose policy says so is restarted with its new size, others are not', async () => {
    await using node = await aNode({ profile });
    const restarts = [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' as const }];
    const resources = { requests: { cpu: '1', memory: '1Gi' } };
    const containers = [
      { name: 'main', image: 'image:1', resources, resizePolicy: restarts },
      { name: 'other', image: 'image:1' },
    ];
    const pod = await node.run(aPodAsking('p', {}, { containers }));
    await node.resize(pod, { requests: { cpu: '1', memory: '2Gi' } });
    const inPlace = await node.becomes(
      pod,
      'have memory',
      (seen) => firstOf(seen)?.resources?.requests?.memory === '2Gi',
    );
    expect(firstOf(inPlace)?.restartCount).toBe(0);
    await node.resize(pod, { requests: { cpu: '2', memory: '2Gi' } });
    const { status } = await node.runsWith(pod, '2');
    expect(status?.containerStatuses?.map(({ restartCount }) => restartCount)).toEqual([1, 0]);
    expect(firstOf({ ...pod, ...(status && { status }) })?.lastState?.terminated).toMatchObject({ exitCode: 0 });
  });
});

test('K4: "memory-limit decrease below usage" is an error that is tried again: "InProgress reason Error, retried each sync"', async () => {
  await using node = await aNode();
  const pod = aPodAsking('p', { memory: '256Mi' }, {}, { memory: '1Gi' });
  pod.metadata.annotations = { 'sim.slipway.dev/main.usage': 'memory=600Mi' };
  const runs = await node.run(pod);
  await node.resize(runs, { limits: { memory: '512Mi' } });
  const failed = await node.becomes(
    runs,
    'fail',
    (seen) => podCondition(seen, 'PodResizeInProgress')?.reason === 'Error',
  );
  const mebi = 1024 ** 2;
  expect(podCondition(failed, 'PodResizeInProgress')?.message).toBe(
    `cannot decrease memory limits: attempting to set container "main" memory limit (${512 * mebi}) below current usage (${600 * mebi})`,
  );
  expect(firstOf(failed)?.resources?.limits).toEqual({ memory: '1Gi' });
  expect(firstOf(failed)?.allocatedResources).toEqual({ memory: '256Mi' });
  await node.kube
    .resource(pods)
    .merge(
      { namespace: 'default', name: 'p' },
      { metadata: { annotations: { 'sim.slipway.dev/main.usage': 'memory=300Mi' } } },
    );
  await node.becomes(runs, 'be small', (seen) => firstOf(seen)?.resources?.limits?.memory === '512Mi');
  await node.isTold(runs, 'ResizeError');
  await node.isTold(runs, 'ResizeCompleted');
});

test('K5: "ticker": a resize that waits is looked at again after 180 s though nothing happened on the node', async () => {
  const clock = new ManualClock();
  await using node = await aNode({ clock });
  await node.kube.resource(nodes).merge({ name: 'n1' }, { metadata: { labels: { disk: 'ssd' } } });
  await clock.advance(100);
  const created = await node.kube
    .resource(pods)
    .create(aPodAsking('p', { cpu: '1' }, { nodeSelector: { disk: 'ssd' } }));
  await clock.advance(100);
  await node.kube.resource(nodes).merge({ name: 'n1' }, { metadata: { labels: { disk: null } } });
  await clock.advance(100);
  await node.resize(created, { requests: { cpu: '2' } });
  await clock.advance(100);
  const message = () => node.get(created).then((pod) => podCondition(pod, 'PodResizePending')?.message);
  expect(await message()).toBe("Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector");
  await node.kube.resource(nodes).merge({ name: 'n1' }, { metadata: { labels: { disk: 'ssd' } } });
  for (let s = 0; s < 170; s++) await clock.advance(1_000);
  expect(await message()).toBeDefined();
  for (let s = 0; s < 20; s++) await clock.advance(1_000);
  expect([await message(), firstOf(await node.get(created))?.resources?.requests?.cpu]).toEqual([undefined, '2']);
});

test('a node that gets more gives it to a resize that waits, and says at once what it has', async () => {
  await using node = await aNode();
  const pod = await node.run(aPodAsking('p', { cpu: '1' }));
  await node.run(aPodAsking('other', { cpu: '3' }));
  await node.resize(pod, { requests: { cpu: '4' } });
  await node.isPending(pod, 'Deferred');
  node.machines()[0]?.setCapacity({ cpu: '7' });
  await node.runsWith(pod, '4');
  const allocatable = await until('the node to say so', async () => {
    const { status } = await node.kube.resource(nodes).get({ name: 'n1' });
    return status?.allocatable?.cpu === '7' && status.allocatable;
  });
  expect(allocatable).toEqual({ cpu: '7', memory: '8Gi', pods: '110' });
});
