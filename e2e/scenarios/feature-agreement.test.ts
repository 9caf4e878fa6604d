import { fileURLToPath } from 'node:url';
import { createFeatureGate, type FeatureGate } from '@slipway/feature-gates';
import { Kube } from '@slipway/kube';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { operatorGate, report } from '../../examples/third-party-operator/operator.js';
import { hasPart, needs } from '../../tools/real-parts.js';
import { type BareCluster, bareCluster } from '../support/bare-cluster.js';
import { startCommand } from '../support/running-command.js';
import { kubeconfigOf } from '../support/service-account.js';
import { eventually, freeGates, type RunningCluster, slipway, up } from '../support/slipway.js';

beforeEach((context) => needs(context, 'kubectl'));

describe('a node that does not come along', () => {
  let cluster: RunningCluster;
  beforeAll(async () => {
    if (!hasPart('kubectl')) return;
    cluster = await up({ kubernetes: freeGates, nodes: 3, args: ['--ephemeral', '--time-scale', '20'] });
  }, 60_000);
  afterAll(async () => await cluster?.[Symbol.asyncDispose]());

  const feature = async (...words: string[]) => {
    const { code, stdout, stderr } = await cluster.slipway(['feature', ...words]);
    expect(code, stderr).toBe(0);
    return stdout;
  };
  const shows = (what: RegExp) => async () => what.test(await feature('get', 'ImageVolume'));

  test('it is named with what to do about it, waived, never shown as agreeing, and told when it returns', async () => {
    const patch = ['-n', 'kube-system', 'patch', 'feature', 'imagevolume', '--type=merge', '-p'];
    await cluster.kubectl([...patch, '{"spec":{"uses":{"stragglersAfter":"60s"}}}']);
    expect(await cluster.slipway(['dev', 'node', 'partition', 'n3'])).toMatchObject({ code: 0 });
    await feature('on', 'ImageVolume', '--yes');
    await eventually('it is a straggler', shows(/Blocked +True +Stragglers/));
    const blocked = await feature('get', 'ImageVolume');
    expect(blocked).toContain('n3 is silent (NodeDown)');
    expect(blocked).toMatch(/WaitForUses blocked \[#########---\] 3\/4 processes/);
    expect(blocked).toMatch(/To fix: .*slipway feature waive ImageVolume --node n3/);
    await eventually('the listing by node shows it', async () =>
      (await feature('uses', 'ImageVolume', '--nodes', '--value', 'silent', '-o', 'name')).includes('kubelet.n3'),
    );

    const why = 'its disk is being replaced';
    expect(await cluster.slipway(['feature', 'waive', 'ImageVolume', '--node', 'n3', '--reason', 'no'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('at least 10 characters'),
    });
    await feature('waive', 'ImageVolume', '--node', 'n3', '--reason', why, '--for', '7d');
    await eventually('it is on but for the one', shows(/State: +On/));
    const waived = await feature('get', 'ImageVolume');
    expect(waived).toMatch(/UsesConsistent +False +Waived +kube-apiserver 1 on; kubelet 2 on, 1 waived/);
    expect(waived).toMatch(/Uses: +3\/4 on, 1 waived/);
    expect(waived).toMatch(new RegExp(`w-\\w{4} +node n3 +\\d+[dh] +slipway-admin +${why}`));
    expect(waived).toContain('Passed over when it was turned on:');
    expect(await feature('list', '--drift', '-o', 'name')).toBe('feature/imagevolume\n');
    const events = ['-n', 'kube-system', 'get', 'events', '-o', 'custom-columns=REASON:.reason'];
    await eventually('an event tells of it', async () => (await cluster.kubectl(events)).stdout.includes('WaiverUsed'));

    expect(await cluster.slipway(['dev', 'node', 'start', 'n3'])).toMatchObject({ code: 0 });
    await eventually('all agree', shows(/UsesConsistent +True +Agreed/));
    expect(await feature('list', '--drift', '-o', 'name')).toBe('');
    const id = /(w-\w{4}) +node n3/.exec(waived)?.[1] ?? '';
    await feature('waive', 'ImageVolume', '--remove', id);
    expect(await feature('get', 'ImageVolume')).not.toContain('Waivers:');
  }, 120_000);

  test('who comes back with the old value drifts, and no transition begins for that', async () => {
    await using watching = await startCommand(
      ...['feature', 'watch', 'ImageVolume', '-o', 'json', '--kubeconfig', cluster.kubeconfig],
    );
    const restarted = (gates: readonly string[]) =>
      cluster.slipway(['dev', 'component', 'restart', 'kubelet', ...gates]);
    expect(await restarted(['--gates', 'ImageVolume=false'])).toMatchObject({ code: 0 });
    await eventually('it drifts', shows(/UsesConsistent +False +Drift/));
    const drifted = await feature('get', 'ImageVolume');
    expect(drifted).toMatch(/State: +On/);
    expect(drifted).toMatch(/kubelet\.n2 on n2 has it off \(ExplicitFlag, [0-9.]+\)/);
    expect(drifted).toMatch(
      /To fix: kubelet\.n\d: remove ImageVolume from its --feature-gates, or set it to true; or slipway/,
    );
    expect(await feature('uses', 'ImageVolume', '--value', 'old', '-o', 'name')).toBe(
      'featureuse/kubelet.n1\nfeatureuse/kubelet.n2\nfeatureuse/kubelet.n3\n',
    );
    expect(await feature('uses', 'ImageVolume', '--unread', '--component', 'kubelet', '-o', 'name')).toContain(
      'kubelet.n1',
    );
    expect(await feature('list', '--set', '-o', 'name')).toBe('feature/imagevolume\n');
    expect(await restarted([])).toMatchObject({ code: 0 });
    await eventually('all agree', shows(/UsesConsistent +True +Agreed/));
    await eventually('the drift is watched', async () => /"reason": ?"Drift"/.test(watching.output()));
  }, 60_000);
});

describe('an operator in its own namespace, without cluster-admin', () => {
  const example = (file: string) =>
    fileURLToPath(new URL(`../../examples/third-party-operator/${file}`, import.meta.url));
  let cluster: RunningCluster;
  let operator: Kube;
  let admin: string;
  beforeAll(async () => {
    if (!hasPart('kubectl')) return;
    cluster = await up({ kubernetes: freeGates, nodes: 2, args: ['--ephemeral'] });
    expect(await cluster.kubectl(['apply', '-f', example('namespace.yaml')])).toMatchObject({ code: 0 });
    admin = await kubeconfigOf(cluster, 'acme', 'acme-admin');
    operator = await Kube.connect({ kubeconfig: await kubeconfigOf(cluster, 'acme', 'acme-operator') });
  }, 60_000);
  afterAll(async () => await cluster?.[Symbol.asyncDispose]());

  const feature = (...words: string[]) =>
    cluster.slipway(['feature', ...words, '-n', 'acme'], { env: { KUBECONFIG: admin } });
  const pods = async (): Promise<string[]> => {
    const columns = ['-o', 'jsonpath={.items[?(@.status.phase=="Running")].metadata.name}'];
    const { stdout } = await cluster.kubectl(['-n', 'acme', 'get', 'pods', '-l', 'app=acme-operator', ...columns]);
    return stdout.split(' ').filter((name) => name !== '');
  };
  const direct = () => ({ transport: operator.transport, startWithinMs: 0, log: () => {} });
  const running = new Map<string, AsyncDisposable>();
  /** Stands in for the process of a pod: pods run nothing here. */
  const start = async (podName: string, gate: FeatureGate = operatorGate('FastPath=false')) => {
    await running.get(podName)?.[Symbol.asyncDispose]();
    running.set(podName, report(gate, podName, direct()));
  };
  const isUses = (text: string) => async () => (await feature('get', 'FastPath')).stdout.includes(text);

  test('its three replicas are the roster; the feature is on when the last of them is', async () => {
    const declared = await cluster.kubectl(['apply', '-f', example('definition.yaml'), '--kubeconfig', admin]);
    expect(declared, declared.stderr).toMatchObject({ code: 0 });
    await cluster.kubectl(['apply', '-f', example('deployment.yaml')]);
    const names = await eventually('three pods run', async () => {
      const found = await pods();
      return found.length === 3 && found;
    });
    const [first = '', second = '', third = ''] = names;
    await start(first);
    await start(second);
    await eventually('the silent one is missed', async () =>
      (await feature('get', 'FastPath')).stdout.includes(`${third} on`),
    );
    await start(third);
    await eventually('all agree', isUses('3/3 off'));

    expect(await feature('on', 'FastPath', '--yes')).toMatchObject({ code: 0 });
    await start(first, operatorGate('FastPath=true'));
    await start(second, operatorGate('FastPath=true'));
    await eventually('one is left', isUses('2/3 on'));
    const waiting = (await feature('get', 'FastPath')).stdout;
    expect(waiting).toMatch(/State: +TurningOn/);
    expect(waiting).toContain(`acme-operator.${third}`);
    expect(waiting).toContain('ExplicitFlag: remove FastPath from its --feature-gates, or set it to true');
    await start(third, operatorGate('FastPath=true'));
    await eventually('it is on', async () => /State: +On/.test((await feature('get', 'FastPath')).stdout));
  }, 120_000);

  test('a pod that takes the place of another is expected at once', async () => {
    const [first = '', ...others] = await pods();
    await running.get(first)?.[Symbol.asyncDispose]();
    await cluster.kubectl(['-n', 'acme', 'delete', 'pod', first, '--now']);
    const name = await eventually('another pod runs', async () =>
      (await pods()).find((one) => ![first, ...others].includes(one)),
    );
    await eventually('it is missed', isUses('UsesConsistent       Unknown   Silent'));
    await start(name, operatorGate('FastPath=true'));
    await eventually('all agree', isUses('3/3 on'));
  }, 60_000);

  test('what it reports counts in its own namespace and nowhere else, and it may do nothing more', async () => {
    const foreign = createFeatureGate({ component: 'kubelet', version: '1.34' });
    foreign.add({ ImageVolume: [{ version: '1.34', stage: 'Beta', default: true }] });
    const usesOf = async (namespace: string) => {
      const { stdout } = await cluster.slipway(['feature', 'get', 'ImageVolume', '-n', namespace, '-o', 'json']);
      return stdout === '' ? undefined : JSON.parse(stdout).status?.summary?.uses;
    };
    const before = await usesOf('kube-system');
    await using _reporting = report(foreign, 'n1', direct());
    await eventually('its own is announced', async () => (await usesOf('acme')) === '1/1 on');
    expect(await usesOf('kube-system')).toBe(before);

    const can = async (...words: string[]) => {
      const as = ['--as', 'system:serviceaccount:acme:acme-operator'];
      return (await cluster.kubectl(['auth', 'can-i', ...words, ...as])).stdout.trim();
    };
    expect(await can('create', 'featureuses.features.slipway.dev', '-n', 'acme')).toBe('yes');
    expect(await can('create', 'featureuses.features.slipway.dev', '-n', 'kube-system')).toBe('no');
    expect(await can('patch', 'features.features.slipway.dev', '-n', 'acme')).toBe('no');
    const elsewhere = await cluster.slipway(['feature', 'on', 'ImageVolume', '-n', 'kube-system', '--yes'], {
      env: { KUBECONFIG: admin },
    });
    expect(elsewhere).toMatchObject({ code: 4, stderr: expect.stringContaining('forbidden') });
  }, 60_000);
});

describe('a cluster on which nothing of ours is installed', () => {
  let bare: BareCluster;
  beforeAll(async () => {
    if (!hasPart('kubectl')) return;
    bare = await bareCluster({ nodes: 2, servers: [{}, {}] });
  }, 60_000);
  afterAll(async () => await bare?.[Symbol.asyncDispose]());

  test('its gates are listed as each API server shows them, with what could not be seen, and nothing is written', async () => {
    const listed = await bare.slipway('feature', 'list');
    expect(listed, listed.stderr).toMatchObject({ code: 0 });
    expect(listed.stdout).toMatch(/^ImageVolume +Beta +kube-apiserver 2 off/m);
    expect(listed.stderr).toContain('Slipway is not installed here');
    expect(listed.stderr).toContain('Not seen: kube-scheduler: hidden; no pod of it can be seen');
    expect(listed.stderr).toContain('Not seen: kubelet, kube-proxy: ');
    expect(listed.stderr).toContain('To fix: slipway install');
    const on = await bare.slipway('feature', 'list', '--on', '-o', 'name');
    expect(on.stdout).not.toContain('ImageVolume');
    expect((await bare.kubectl(['get', 'crds', '-o', 'name'])).stdout).not.toContain('slipway');
  }, 60_000);

  test('a user who may only view is told what that hides', async () => {
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'viewer', namespace: 'default' } };
    await bare.kubectl(['apply', '-f', '-'], JSON.stringify(account));
    const bound = ['create', 'clusterrolebinding', 'viewer', '--clusterrole=view', '--serviceaccount=default:viewer'];
    expect(await bare.kubectl(bound)).toMatchObject({ code: 0 });
    const kubeconfig = await kubeconfigOf(bare, 'default', 'viewer');
    const listed = await slipway(['feature', 'list'], { env: { KUBECONFIG: kubeconfig } });
    expect(listed, listed.stderr).toMatchObject({ code: 3, stdout: '' });
    expect(listed.stderr).toContain(
      'Not seen: kube-apiserver: its metrics may not be read; the group system:monitoring may',
    );
    expect(listed.stderr).toContain('Not seen: kubelet: nodes may not be listed');
  }, 60_000);
});
