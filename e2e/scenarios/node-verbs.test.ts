import { spawn } from 'node:child_process';
import { NodeSize } from '@slipway/balloons';
import { describe, expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { sized } from '../support/hands-on-nodes.js';
import { sharedCluster } from '../support/shared-cluster.js';
import { eventually, slipway, slipwayProgram, up } from '../support/slipway.js';

describe('slipway node', () => {
  const { cluster, kubectl } = sharedCluster({ nodes: 3, args: sized });
  const node = (...args: string[]) => cluster().slipway(['node', ...args]);
  const done = async (...args: string[]) => {
    const outcome = await node(...args);
    expect(outcome.code, `slipway node ${args.join(' ')}: ${outcome.stderr}`).toBe(0);
    return outcome;
  };
  const balloon = (name: string) =>
    kubectl(
      'get',
      'nodesize',
      name,
      '-o',
      'jsonpath={.status.balloon.allocated.cpu} {.status.balloon.allocated.memory}',
    );
  const runPod = (name: string, cpu: string, memory: string, nodeName?: string) => {
    const containers = [{ name, image: name, resources: { requests: { cpu, memory } } }];
    const spec = { containers, ...(nodeName !== undefined && { nodeName }) };
    return kubectl('run', name, `--image=${name}`, '--overrides', JSON.stringify({ spec }));
  };

  test('before anything is asked for, no node is managed and nothing is hidden', async () => {
    const { stdout } = await done('list');
    expect(stdout).toMatch(/^NODE +SIZE +BALLOON +HARDWARE +REQUESTED +FREE +MODE +STATE +LAST$/m);
    expect(stdout).toMatch(/^n1 +16 \/ 64Gi +0 \/ 0 .*Unmanaged/m);
    expect(stdout).toMatch(/^TOTAL +48 \/ 192Gi/m);
  });

  test.each([
    [['--cpu', '0'], 2, 'not more than zero'],
    [['--cpu', '-1'], 2, 'not more than zero'],
    [['--memory', 'much'], 2, 'not a Kubernetes quantity'],
    [['--fraction', '0/4'], 2, 'not a fraction of whole numbers'],
    [['--fraction', '5/4'], 2, 'more than the whole node'],
    [['--cpu', '4', '--full'], 2, 'a node has one size'],
    [['--cpu', '17'], 1, '17 cpu is larger than the node, which has 16'],
  ])('size n1 %j is refused in one line, and nothing is changed', async (flags, code, says) => {
    const outcome = await node('size', 'n1', ...flags, '--wait', '--timeout', '20s');
    expect(outcome.stderr).toContain(says);
    expect(outcome.stderr).toMatch(/^slipway: .+\nTo fix: .+\n$/);
    expect(outcome.code).toBe(code);
    expect(await kubectl('get', 'balloonpolicies,nodesizes')).toBe('');
  });

  test('size with --dry-run says what it would do and changes nothing', async () => {
    const { stdout } = await done('size', 'n1', '--cpu', '4', '--memory', '16Gi', '--dry-run');
    expect(stdout).toBe('n1 would go from 16 cpu and 64Gi memory to 4 cpu and 16Gi memory for pods (down).\n');
    expect(await kubectl('get', 'balloonpolicies,nodesizes')).toBe('');
  });

  test('the first size makes the policy default and says so; a pod that does not fit any more waits', async () => {
    const { stdout, stderr } = await done('size', 'n1', '--cpu', '4', '--memory', '16Gi', '--wait', '--timeout', '20s');
    expect(stderr).toBe('no policy managed n1: made BalloonPolicy "default" for all nodes\n');
    expect(stdout).toMatch(/^n1 has 4 cpu and 16Gi memory for pods/);
    expect(await balloon('n1')).toBe('12 48Gi');
    await runPod('uses', '3', '10Gi', 'n1');
    await kubectl('wait', '--for=condition=Ready', 'pod/uses', '--timeout=20s');
    expect((await done('list')).stdout).toMatch(
      /^n1 +4 \/ 16Gi +12 \/ 48Gi +16 \/ 64Gi +3 \/ 10Gi +1 \/ 6Gi +Size +AtSize/m,
    );
  });

  test('a size below what pods use does not fit: nothing changes, and explain names who uses it', async () => {
    const before = await kubectl('get', 'nodesize', 'n1', '-o', 'jsonpath={.metadata.generation}');
    const outcome = await node('size', 'n1', '--cpu', '2', '--wait');
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toContain('1 cpu too much; the smallest size now is 3 cpu and 10Gi memory');
    expect(await kubectl('get', 'nodesize', 'n1', '-o', 'jsonpath={.metadata.generation}')).toBe(before);
    const { stdout } = await done('explain', 'n1');
    expect(stdout).toMatch(/^default\/uses +3 \/ 10Gi/m);
    expect(stdout).toMatch(/^floor +3 \/ 10Gi/m);
  });

  test('--best-effort goes as far as it fits, and programs read what came of it', async () => {
    const { stdout } = await done(
      'size',
      'n1',
      '--cpu',
      '2',
      '--memory',
      '16Gi',
      '--best-effort',
      '--wait',
      '-o',
      'json',
    );
    expect(JSON.parse(stdout)).toMatchObject({ node: 'n1', result: 'Partial', to: { cpu: '3', memory: '16Gi' } });
  });

  test('resize counts from the size the node has', async () => {
    await done('resize', 'n1', '+5cpu', '-4Gi', '--wait', '--timeout', '20s');
    expect(await balloon('n1')).toBe('8 52Gi');
    const up = await done('resize', 'n1', 'up', '--wait');
    expect(up.stdout).toMatch(/^n1 has 16 cpu and 24Gi memory for pods/);
    const nonsense = await node('resize', 'n1', '+many');
    expect(nonsense.code).toBe(2);
    expect(nonsense.stderr).toContain('"+many" is not a change of a size');
  });

  test('list -w prints a node again when it changes', async () => {
    const watching = spawn(process.execPath, [slipwayProgram, 'node', 'list', '-w'], {
      env: { ...process.env, NO_COLOR: '1', KUBECONFIG: cluster().kubeconfig },
    });
    let shown = '';
    watching.stdout.on('data', (chunk) => {
      shown += String(chunk);
    });
    await eventually('all are shown', async () => /^n3 /m.test(shown));
    await done('size', 'n3', '--cpu', '7', '--wait');
    await eventually('n3 is shown again', async () => /^n3 +7 \/ .* down ok/m.test(shown));
    watching.kill('SIGTERM');
    expect(shown.match(/^NODE/gm)).toHaveLength(1);
    expect(shown.match(/^n2/gm)).toHaveLength(1);
    const names = await node('list', '-w', '-o', 'name');
    expect(names).toMatchObject({ code: 2, stderr: expect.stringContaining('-w prints no name') });
    await done('size', 'n3', '--full', '--wait');
  });

  test('several nodes at once: each has a line, and the counts come last', async () => {
    await kubectl('label', 'node', 'n2', 'n3', 'pool=a');
    const { stdout } = await done('resize', '-l', 'pool=a', '--fraction', '1/2', '--max-parallel', '1', '--wait');
    expect(stdout).toMatch(/^n2 +.* 8 \/ 32Gi +Succeeded/m);
    expect(stdout).toMatch(/^2 Succeeded$/m);
    const { stdout: json } = await done('list', '-l', 'pool=a', '-o', 'json');
    expect(JSON.parse(json).items[1]).toMatchObject({
      kind: 'NodeSize',
      metadata: { name: 'n3' },
      computed: { size: { cpu: '8', memory: '32Gi', milliCpu: 8000, bytes: 32 * 1024 ** 3 } },
    });
  });

  test('a node that shrinks never takes the place of a pod, and one that grows lets it in', async () => {
    await done('size', 'n1', 'n2', 'n3', '--cpu', '3', '--memory', '16Gi', '--wait');
    await runPod('waits', '4', '1Gi');
    await eventually('it has no place', async () => (await kubectl('get', 'pod', 'waits')).includes('Pending'));
    await done('size', 'n2', '--full', '--wait');
    await kubectl('wait', '--for=condition=Ready', 'pod/waits', '--timeout=20s');
    expect(await kubectl('get', 'pod', 'uses', '-o', 'jsonpath={.status.phase}')).toBe('Running');
  });

  test('a size that a user applies is theirs; a paused one waits', async () => {
    const applied = { apiVersion: 'balloons.slipway.dev/v1alpha1', kind: 'NodeSize', metadata: { name: 'n3' } };
    const document = { ...applied, spec: { mode: 'Size', size: { cpu: '5' } } };
    const apply = ['apply', '--server-side', '--force-conflicts', '--field-manager', 'git', '-f', '-'];
    const done1 = await cluster().kubectl(apply, { stdin: JSON.stringify(document) });
    expect(done1.code, done1.stderr).toBe(0);
    const refused = await node('size', 'n3', '--cpu', '6');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/applied by git/);
    await done('size', 'n3', '--cpu', '6', '--force-conflicts', '--wait');
    await kubectl('patch', 'nodesize', 'n2', '--type', 'merge', '-p', '{"spec":{"paused":true}}');
    const paused = await node('size', 'n2', '--cpu', '6');
    expect(paused.code).toBe(1);
    expect(paused.stderr).toMatch(/n2 is paused[\s\S]*To fix: kubectl patch nodesize n2/);
  });

  test('a node that does not get there in time: not known, with what it waits for', async () => {
    await cluster().slipway(['dev', 'node', 'stop', 'n1']);
    const outcome = await node('size', 'n1', '--cpu', '10', '--wait', '--timeout', '1s');
    expect(outcome.code).toBe(3);
    expect(outcome.stderr).toMatch(
      /^slipway: n1: not done after 1s; still waiting for .+\nTo fix: slipway node explain n1\n$/,
    );
    await cluster().slipway(['dev', 'node', 'start', 'n1']);
  });
});

describe('slipway up --shared-host, slipway node partition', () => {
  const { cluster, kubectl } = sharedCluster({ nodes: 4, args: ['--ephemeral', '--shared-host', '16cpu/64Gi'] });
  const partition = (...args: string[]) => cluster().slipway(['node', 'partition', '--host', 'lab-1', ...args]);
  const sizes = async () => (await kubectl('get', 'nodesizes', '-o', sizeOfEach)).trim().split('\n');
  const sizeOfEach = 'jsonpath={range .items[*]}{.metadata.name} {.status.size.cpu} {.status.size.memory}{"\\n"}{end}';
  const phases = async () =>
    (await kubectl('get', 'pods', '-o', 'jsonpath={.items[*].status.phase}')).split(' ').sort();

  test('four kubelets that each report the machine share it: of 20 pods of one core exactly 12 run', async () => {
    const split = await partition('--equal', '--reserve', 'cpu=1,memory=4Gi', '--wait', '--timeout', '30s');
    expect(split.code, split.stderr).toBe(0);
    expect(split.stdout).toMatch(/^n4 +3750m \/ 15Gi$/m);
    expect(await sizes()).toEqual(['n1', 'n2', 'n3', 'n4'].map((name) => `${name} 3750m 15Gi`));
    const item = (at: number) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `p${at}` },
      spec: { containers: [{ name: 'c', image: 'c', resources: { requests: { cpu: '1' } } }] },
    });
    const items = Array.from({ length: 20 }, (_, at) => item(at));
    const list = { apiVersion: 'v1', kind: 'List', items };
    const created = await cluster().kubectl(['create', '-f', '-'], { stdin: JSON.stringify(list) });
    expect(created.code, created.stderr).toBe(0);
    const unschedulable = '{.items[?(@.status.conditions[0].reason=="Unschedulable")].metadata.name}';
    await eventually('8 have no place', async () => {
      const waiting = (await kubectl('get', 'pods', '-o', `jsonpath=${unschedulable}`)).split(' ');
      return waiting.length === 8 && (await phases()).filter((phase) => phase === 'Running').length >= 12;
    });
    expect(await phases()).toEqual([...Array(8).fill('Pending'), ...Array(12).fill('Running')]);
    const nodes = (await kubectl('get', 'pods', '-o', 'jsonpath={.items[*].spec.nodeName}')).trim().split(' ').sort();
    expect(nodes).toEqual(['n1', 'n2', 'n3', 'n4'].flatMap((name) => [name, name, name]));
  });

  test('a split that pods stand in the way of is refused, and nothing changes', async () => {
    const refused = await partition('--weights', 'n1=4,n2=1,n3=1,n4=1');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /^slipway: n2: pods ask for more than that would leave: .*\nTo fix: slipway node explain n2\n$/,
    );
    expect(await kubectl('get', 'hostpartition', 'lab-1', '-o', 'jsonpath={.spec.equal}')).toBe('true');
  });

  test('weights move room to one node after the others gave it; a removed node keeps its own until it is elsewhere', async () => {
    await kubectl('delete', 'pods', '--all', '--grace-period=1');
    const moved = await partition('--weights', 'n1=2,n2=1,n3=1,n4=1', '--wait', '--timeout', '30s');
    expect(moved.code, moved.stderr).toBe(0);
    expect(await sizes()).toEqual(['n1 6 24Gi', 'n2 3 12Gi', 'n3 3 12Gi', 'n4 3 12Gi']);
    const less = await partition('--remove', 'n4', '--wait', '--timeout', '30s');
    expect(less.code, less.stderr).toBe(0);
    expect(await sizes()).toEqual(['n1 6 24Gi', 'n2 3 12Gi', 'n3 3 12Gi', 'n4 3 12Gi']);
    expect(less.stdout).toContain('No members, but they keep their sizes: n4\n');
    await kubectl('label', 'node', 'n4', 'balloons.slipway.dev/host=lab-2', '--overwrite');
    await eventually('the rest to have more', async () => (await sizes())[0] === 'n1 7500m 30Gi');
    const owned = await cluster().slipway(['node', 'size', 'n1', '--full']);
    expect(owned.code).toBe(1);
    expect(owned.stderr).toContain('the size of n1 is applied by slipway-host-partition');
  });

  test.each([
    [['--host', 'moon', '--equal'], 2, 'take one of these machines: lab-1'],
    [['--host', 'lab-1', '--equal', '--weights', 'n1=1'], 2, '--equal, --weights and --remove exclude each other'],
    [['--host', 'lab-1', '--weights', 'n9=1'], 2, 'there is no node "n9"'],
    [['--host', 'lab-1', '--weights', 'n1=-1'], 2, 'is not NODE=WEIGHT'],
    [['--host', 'lab-1', '--remove', 'n9'], 2, 'n9 is not a member'],
    [['--host', 'moon'], 1, 'moon is not partitioned'],
  ])('partition %j is refused', async (flags, code, says) => {
    const outcome = await cluster().slipway(['node', 'partition', ...flags]);
    expect(outcome.code).toBe(code);
    expect(outcome.stderr).toContain(says);
  });
});

test('slipway node autosize: nodes follow what pods ask for, and are whole again when it is off', async (context) => {
  needs(context, 'kubectl');
  const args = ['--ephemeral', '--node-cpu', '16', '--node-memory', '64Gi', '--time-scale', '100'];
  await using cluster = await up({ nodes: 1, args });
  const done = async (...words: string[]) => {
    const outcome = await cluster.slipway(['node', ...words]);
    expect(outcome.code, `slipway node ${words.join(' ')}: ${outcome.stderr}`).toBe(0);
    return outcome.stdout;
  };
  const nodeSizes = (await cluster.kube()).resource(NodeSize);
  const sizeOf = async () => String((await nodeSizes.get({ name: 'n1' })).status?.size?.cpu);
  expect(await done('autosize', 'recommend')).toContain('slipway node size n1 --cpu 250m --memory 512Mi');
  await done('size', 'n1', '--cpu', '2', '--memory', '8Gi', '--wait');
  expect(await done('autosize', 'status')).toMatch(/^n1 +Off +2 \/ 8Gi +0.2 \/ 512Mi/m);
  await done('autosize', 'on');
  const containers = [{ name: 'c', image: 'c', resources: { requests: { cpu: '4', memory: '1Gi' } } }];
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'waits' }, spec: { containers } };
  await cluster.kubectl(['create', '-f', '-'], { stdin: JSON.stringify(pod) });
  const ready = await cluster.kubectl(['wait', '--for=condition=Ready', 'pod/waits', '--timeout=30s']);
  expect(ready.code, ready.stderr).toBe(0);
  expect(await sizeOf()).toBe('4600m');
  await cluster.kubectl(['delete', 'pod', 'waits', '--grace-period=1']);
  const shrunk = await eventually('it shrinks', async () => {
    const size = await sizeOf();
    return size !== '4600m' && size;
  });
  expect(Number.parseInt(shrunk, 10)).toBeLessThan(4600);
  await done('autosize', 'off', '--restore');
  await eventually('it is whole again', async () => (await sizeOf()) === '16');
});

test('slipway node verify-priority proves that balloons are harmless, on a node without workloads only', async (context) => {
  needs(context, 'kubectl');
  await using cluster = await up({ nodes: 2, args: ['--ephemeral'] });
  const verify = (...flags: string[]) => cluster.slipway(['node', 'verify-priority', ...flags, '--watch', '1s']);
  const unmanaged = await verify('n1');
  expect(unmanaged).toMatchObject({ code: 1, stderr: expect.stringContaining('To fix: slipway node size n1 --full') });
  await cluster.slipway(['node', 'size', 'n1', '--full', '--wait']);
  // What an earlier one left that was killed.
  await cluster.kubectl(['annotate', 'node', 'n1', 'balloons.slipway.dev/closed-by-canary=true']);
  await cluster.kubectl(['cordon', 'n1']);
  const proven = await verify('n1');
  expect(proven.code, proven.stdout + proven.stderr).toBe(0);
  expect(proven.stdout).toMatch(/^Mode Native, class system-balloon$/m);
  expect(proven.stdout).toMatch(/^a critical pod that its kubelet is handed does not take a balloon's place +yes/m);
  const { stdout: left } = await cluster.kubectl(['get', 'pods,nodes', '-A', '-o', 'name']);
  expect(left).not.toContain('canary');
  expect((await cluster.kubectl(['get', 'node', 'n1', '-o', 'jsonpath={.spec.unschedulable}'])).stdout).toBe('');

  await cluster.kubectl(['run', 'web', '--image=web', '--overrides', '{"spec":{"nodeName":"n1"}}']);
  await cluster.kubectl(['wait', '--for=condition=Ready', 'pod/web', '--timeout=20s']);
  const busy = await verify('n1');
  expect(busy.code).toBe(1);
  expect(busy.stderr).toContain(
    'n1: pod default/web runs there, and a canary must not put it at risk\nTo fix: kubectl drain n1',
  );
  await cluster.kubectl([
    'patch',
    'balloonpolicy',
    'default',
    '--type=merge',
    '-p',
    '{"spec":{"priorityMode":"Protected"}}',
  ]);
  await cluster.kubectl(['delete', 'pods', '-n', 'kube-system', '-l', 'balloons.slipway.dev/balloon=true']);
  const unsafe = await eventually('the class is another', async () => {
    const outcome = await verify('n2', '-o', 'json');
    return outcome.code === 1 && outcome.stdout !== '' && outcome;
  });
  expect(JSON.parse(unsafe.stdout)).toMatchObject({
    mode: 'Protected',
    answers: [{ answer: 'no', message: expect.stringContaining('not tried') }],
  });
});

test('slipway node preflight names what stands in the way, and audit what is not as it must be', async (context) => {
  needs(context, 'kubectl');
  await using cluster = await up({ nodes: 2, args: ['--ephemeral', '--kubelet-version', 'n2:1.32'] });
  const old = await cluster.slipway(['node', 'preflight']);
  expect(old.code).toBe(1);
  expect(old.stdout).toMatch(/^n1 .* yes +v1\.37/m);
  expect(old.stderr).toMatch(/^To fix: upgrade the kubelet of n2: it is v1\.32/);
  const quota = ['-n', 'kube-system', 'create', 'quota', 'tight', '--hard=requests.cpu=1'];
  expect((await cluster.kubectl(quota)).code).toBe(0);
  const { stdout } = await cluster.slipway(['node', 'preflight']);
  expect(stdout).toContain('ResourceQuota kube-system/tight counts what balloons hide');
  const clean = await cluster.slipway(['node', 'audit']);
  expect(clean.stdout).toBe('Everything holds on 2 nodes.\n');
  await cluster.kubectl(['label', 'node', 'n1', 'balloons.slipway.dev/managed=gone']);
  const audit = await cluster.slipway(['node', 'audit']);
  expect(audit.stdout).toMatch(/^n1 +a node that nothing manages .* no +balloons.slipway.dev\/managed$/m);
  expect(audit.code).toBe(1);
});

test('slipway run balloon-controller refuses gates that are not its own, before it sends a request', async () => {
  const { code, stderr } = await slipway(['run', 'balloon-controller', '--feature-gates', 'NodeBallons=false']);
  expect(code).toBe(2);
  expect(stderr).toMatch(/NodeBallons[\s\S]*\nTo fix: the gate is NodeBalloons/);
});
