import { describe, expect, test } from 'vitest';
import { full, handsOn, noSize, type Pod, quarter, sized } from '../support/hands-on-nodes.js';
import { sharedCluster } from '../support/shared-cluster.js';
import { eventually } from '../support/slipway.js';

describe('node sizes with kubectl', () => {
  const { cluster } = sharedCluster({ nodes: 3, args: sized }, async () => {
    await eventually(
      'the kinds are there',
      async () => (await on.kubectl('get', 'crd', 'nodesizes.balloons.slipway.dev', '--ignore-not-found')) !== '',
    );
    await on.setPolicy({});
    await eventually('all nodes have balloons', async () =>
      Boolean((await on.balloon('n1')) && (await on.balloon('n2')) && (await on.balloon('n3'))),
    );
    await on.policyReady();
  });
  const on = handsOn(cluster);

  test('a balloon says that what it asks for does not exist, and is as unpreemptable as critical pods', async () => {
    const pod = await on.balloon('n1');
    expect(pod?.metadata.labels).toMatchObject({ 'balloons.slipway.dev/balloon': 'true' });
    expect(pod?.metadata.annotations).toMatchObject({ 'balloons.slipway.dev/accounting': 'nonexistent' });
    expect(pod?.spec).toMatchObject({
      priorityClassName: 'system-balloon',
      preemptionPolicy: 'Never',
      priority: 2_000_001_000,
    });
  });

  test('down, up, what does not fit, and as far as it fits; no pod is restarted', async () => {
    await on.run('busy', 'n1', { cpu: '3', memory: '10Gi' });
    await on.isReady('busy');
    expect(await on.resize('n1', { ...quarter, requestID: 'a1' })).toMatchObject({
      size: quarter.size,
      balloon: { allocated: { cpu: '12', memory: '48Gi' } },
      observedRequestID: 'a1',
      lastResize: { result: 'Succeeded' },
    });
    await on.run('late', 'n1', { cpu: '2', memory: '1Gi' });
    await eventually('it does not fit', async () => {
      const { status } = await on.get<Pod>('pod', 'late');
      return status.conditions?.some(({ message = '' }) => message.includes('Insufficient cpu'));
    });
    await on.resize('n1', { mode: 'Size', size: { cpu: '8', memory: '16Gi' } });
    await on.isReady('late');

    const before = await on.balloon('n1');
    const refused = await on.resize('n1', { mode: 'Size', size: { cpu: '2', memory: '16Gi' } });
    expect(refused.lastResize).toMatchObject({
      result: 'DoesNotFit',
      message: expect.stringContaining('the smallest size now is 5 cpu and 11Gi memory'),
    });
    expect(await on.balloon('n1')).toEqual(before);
    const partial = await on.resize('n1', { mode: 'Size', size: { cpu: '2', memory: '16Gi' }, fit: 'BestEffort' });
    expect(partial).toMatchObject({ size: { cpu: '5', memory: '16Gi' }, lastResize: { result: 'Partial' } });

    const restarts = await on.kubectl(
      'get',
      'pods',
      '-o',
      'jsonpath={.items[*].status.containerStatuses[*].restartCount}',
    );
    expect(restarts).toBe('0 0');
    await on.forget('busy', 'late');
    await on.resize('n1', full);
  });

  test.each([
    ['negative', { mode: 'Size', size: { cpu: '-4' } }, 'spec.size.cpu'],
    ['negative, as a number', { mode: 'Size', size: { cpu: -4 } }, 'greater than or equal to 0'],
    ['no number', { mode: 'Size', size: { cpu: 'four' } }, 'spec.size.cpu'],
    ['a fraction of zero', { mode: 'Fraction', fraction: '1/0' }, 'spec.fraction'],
    ['none of it', { mode: 'Fraction', fraction: '0/4' }, 'spec.fraction'],
    ['more than the whole', { mode: 'Fraction', fraction: '3/2' }, 'a fraction is at most the whole node'],
    ['a field of another mode', { mode: 'Full', fraction: '1/2' }, 'fraction belongs to mode Fraction'],
  ])('a bad size is refused when it is written: %s', async (_what, spec, message) => {
    const before = await on.size('n2');
    const patch = JSON.stringify({ spec: { ...noSize, ...spec } });
    const done = await cluster().kubectl(['patch', 'nodesize', 'n2', '--type', 'merge', '-p', patch]);
    expect(done.code).toBe(1);
    expect(done.stderr).toContain(message);
    expect(await on.size('n2')).toEqual(before);
  });

  test('a size larger than the node is refused by the controller, and nothing changes', async () => {
    const before = await on.balloon('n2');
    const { lastResize } = await on.resize('n2', { mode: 'Size', size: { cpu: '40' } });
    expect(lastResize).toMatchObject({
      result: 'Rejected',
      message: '40 cpu is larger than the node, which has 16; ask for no more than that',
    });
    expect(await on.balloon('n2')).toEqual(before);
    await on.resize('n2', full);
  });

  test('a kubelet stopped in the middle: what it did not take it does not take later', async () => {
    await on.setPolicy({ timeouts: { observeSeconds: 1 } });
    await cluster().slipway(['dev', 'node', 'stop', 'n2']);
    const { lastResize, balloon } = await on.resize('n2', quarter);
    expect(lastResize).toMatchObject({ result: 'TimedOut' });
    expect(balloon).toMatchObject({ desired: { cpu: '0' }, allocated: { cpu: '0' } });
    await on.resize('n2', full);
    await cluster().slipway(['dev', 'node', 'start', 'n2']);
    await on.kubectl('wait', '--for=condition=Ready', 'node/n2', '--timeout=60s');
    expect((await on.size('n2')).status?.balloon).toMatchObject({ desired: { cpu: '0' }, allocated: { cpu: '0' } });
    await on.setPolicy({});
  });

  test('a workload that grows at the same time: whichever is first, no pod is evicted and nothing stays pending', async () => {
    await on.run('grows', 'n3', { cpu: '2', memory: '1Gi' });
    await on.isReady('grows');
    const patch = JSON.stringify({
      spec: { containers: [{ name: 'grows', resources: { requests: { cpu: '10', memory: '1Gi' } } }] },
    });
    const [, status] = await Promise.all([
      on.kubectl('patch', 'pod', 'grows', '--subresource', 'resize', '-p', patch),
      on.resize('n3', quarter),
    ]);
    expect(['Succeeded', 'DoesNotFit', 'RolledBack', 'Superseded']).toContain(status.lastResize?.result);
    await on.resize('n3', full);
    await eventually('it has grown', async () => {
      const allocated = '{.status.containerStatuses[0].allocatedResources.cpu}';
      return (await on.kubectl('get', 'pod', 'grows', '-o', `jsonpath=${allocated}`)) === '10';
    });
    expect((await on.get<Pod>('pod', 'grows')).status.phase).toBe('Running');
    await on.forget('grows');
  });

  test('a critical pod that comes to a full node does not displace the balloon of a native class', async () => {
    await on.resize('n3', quarter);
    const before = await on.balloon('n3');
    await on.run('critical', 'n3', { cpu: '6', memory: '1Gi' }, { priorityClassName: 'system-node-critical' });
    await eventually('it does not fit', async () => {
      const { status } = await on.get<Pod>('pod', 'critical');
      return status.conditions?.some(({ reason }) => reason === 'Unschedulable');
    });
    expect((await on.balloon('n3'))?.metadata.uid).toBe(before?.metadata.uid);
    await on.forget('critical');
    await on.resize('n3', full);
  });

  test('a quota in the way is named, and nothing changes', async () => {
    await on.apply({
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'small', namespace: 'kube-system' },
      spec: { hard: { 'requests.cpu': '4' } },
    });
    await eventually(
      'it is counted',
      async () =>
        (await on.kubectl('get', 'quota', 'small', '-n', 'kube-system', '-o', 'jsonpath={.status.used}')) !== '',
    );
    const { lastResize, balloon } = await on.resize('n2', quarter);
    expect(lastResize).toMatchObject({
      result: 'Rejected',
      reason: 'QuotaExceeded',
      message: expect.stringContaining('small'),
    });
    expect(balloon?.desired.cpu).toBe('0');
    await on.kubectl('delete', 'quota', 'small', '-n', 'kube-system');
    await on.resize('n2', full);
  });

  test('a limit range in the way is named, and nothing changes', async () => {
    await on.apply({
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: { name: 'low', namespace: 'kube-system' },
      spec: { limits: [{ type: 'Pod', max: { memory: '1Gi' } }] },
    });
    const { lastResize, balloon } = await on.resize('n2', quarter);
    expect(lastResize).toMatchObject({ result: 'Rejected', reason: 'LimitRange' });
    expect(balloon?.desired.cpu).toBe('0');
    await on.kubectl('delete', 'limitrange', 'low', '-n', 'kube-system');
    await on.resize('n2', full);
  });

  test('a balloon pod that is deleted comes back at the right size', async () => {
    await on.resize('n2', quarter);
    const before = await on.balloon('n2');
    await on.kubectl('delete', 'pod', '-n', 'kube-system', before?.metadata.name ?? '');
    await eventually('another one runs', async () => {
      const pod = await on.balloon('n2');
      return pod && pod.metadata.uid !== before?.metadata.uid;
    });
    await on.kubectl('wait', '--for=condition=Ready', 'nodesize/n2', '--timeout=20s');
    expect((await on.size('n2')).status?.size).toEqual(quarter.size);
    await eventually(
      'it is open',
      async () => !(await on.kubectl('get', 'node', 'n2', '-o', 'jsonpath={.spec.taints}')),
    );
  });

  test('"a scaling component can simply invoke in-place-pod-updates": mode External', async () => {
    await on.resize('n1', { mode: 'External' });
    const pod = await on.balloon('n1');
    await on.kubectl(...resizing(pod, { cpu: '12', memory: '48Gi' }));
    await eventually('the node is smaller', async () => (await on.size('n1')).status?.size?.cpu === '4');
    await on.resize('n1', full);
  });

  test('deploy/balloons/admission-policies.yaml: balloons are resized by resizers and made by DaemonSets', async () => {
    const policies = 'deploy/balloons/admission-policies.yaml';
    await on.kubectl('apply', '-f', policies);
    const pod = await on.balloon('n1');
    const resize = (...as: string[]) =>
      cluster().kubectl([...resizing(pod, { cpu: '1', memory: '1Gi' }), '--dry-run=server', ...as]);
    const admin = '--as=someone --as-group=system:masters'.split(' ');
    const refused = await eventually('the policies are in force', async () => {
      const done = await resize(...admin);
      return done.code !== 0 && done;
    });
    expect(refused.stderr).toContain('write the NodeSize of the node instead');
    expect((await resize(...admin, '--as-group=slipway:resizers')).stderr).toBe('');
    const label = '--labels=balloons.slipway.dev/balloon=true';
    const hidden = await cluster().kubectl(['run', 'hidden', '--image=image', label]);
    expect(hidden.stderr).toContain('what it marks does not count as used');
    const own = ['--as=system:serviceaccount:slipway-system:slipway-balloons', '--as-group=system:masters'];
    await on.run('other', 'n1', { cpu: '1', memory: '1Gi' });
    await on.isReady('other');
    const touched = await cluster().kubectl(['label', 'pod', 'other', 'a=b', '--dry-run=server', ...own]);
    expect(touched.stderr).toContain('may change balloon pods and no others');
    expect((await resize(...own)).stderr).toBe('');
    await on.forget('other');
    await on.kubectl('delete', 'pod', '-n', 'kube-system', pod?.metadata.name ?? '');
    await eventually('DaemonSets still make balloons', async () => {
      const now = await on.balloon('n1');
      return now && now.metadata.uid !== pod?.metadata.uid;
    });
    await on.kubectl('delete', '-f', policies);
  });

  test('disabling gives every node back what it has and leaves nothing behind', async () => {
    await on.resize('n1', quarter);
    await on.setPolicy({ enabled: false });
    await eventually('no balloon is left', async () => !(await on.balloon('n1')) && !(await on.balloon('n2')));
    await eventually('nothing is left on nodes', async () => {
      const nodes = await on.kubectl(
        'get',
        'nodes',
        '-o',
        'jsonpath={.items[*].metadata.labels}{.items[*].spec.taints}',
      );
      return !nodes.includes('balloons.slipway.dev');
    });
    expect(await on.kubectl('get', 'daemonsets', '-n', 'kube-system', '-o', 'name')).not.toContain('slipway-balloon');
    expect(await on.kubectl('get', 'nodesizes', '-o', 'jsonpath={.items[*].metadata.finalizers}')).toBe('');
  });
});

/** Words for kubectl with which the request of a balloon is changed. */
function resizing(balloon: Pod | undefined, requests: object): string[] {
  const spec = { containers: [{ name: 'slipway-balloon', resources: { requests } }] };
  const words = ['patch', 'pod', '-n', 'kube-system', balloon?.metadata.name ?? '', '--subresource', 'resize', '-p'];
  return [...words, JSON.stringify({ spec })];
}
