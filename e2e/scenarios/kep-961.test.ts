import { fileURLToPath } from 'node:url';
import { Feature } from '@slipway/features';
import { describe, expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { eventually, freeGates, type RunningCluster, up } from '../support/slipway.js';

const gate = 'MaxUnavailableStatefulSet';
const manifest = fileURLToPath(new URL('../../examples/kep-961/stateful-sets.yaml', import.meta.url));

describe('KEP-961: maxUnavailable of stateful sets', () => {
  test('turned off with Slipway: cleared everywhere, and no old value comes back', async (context) => {
    needs(context, 'kubectl');
    await using cluster = await up({
      kubernetes: freeGates,
      nodes: 2,
      args: ['--component-gates', `kube-controller-manager:${gate}=true`],
    });

    await turn(cluster, 'on');
    expect((await cluster.kubectl(['apply', '-f', manifest])).code).toBe(0);
    expect(await maxUnavailable(cluster)).toEqual({ ledger: '3', search: '50%', plain: '1' });
    const podsBefore = await podUids(cluster);

    // The controller manager is pinned to the old value, so the transition must wait for it.
    expect(await cluster.slipway(['feature', 'off', gate, '--yes'])).toMatchObject({ code: 0 });
    await eventually('the controller manager is named as the one who still has the old value', async () => {
      const shown = await cluster.slipway(['feature', 'get', gate]);
      return shown.stdout.includes('TurningOff') && shown.stdout.includes('kube-controller-manager');
    });
    expect(await maxUnavailable(cluster)).toEqual({ ledger: '3', search: '50%', plain: '1' });

    expect(await cluster.slipway(['dev', 'component', 'restart', 'kube-controller-manager'])).toMatchObject({
      code: 0,
    });
    await eventually('the feature is off', async () => (await stateOf(cluster)) === 'Off', 60_000);
    expect(await maxUnavailable(cluster)).toEqual({ ledger: '', search: '', plain: '1' });
    expect(await dangling(cluster)).toBe('False');
    expect(await podUids(cluster)).toEqual(podsBefore);

    await turn(cluster, 'on');
    expect(await maxUnavailable(cluster)).toEqual({ ledger: '', search: '', plain: '1' });

    // The values were kept: they come back only on request.
    const restored = await cluster.slipway(['feature', 'restore', gate, '--yes']);
    expect(restored, restored.stderr).toMatchObject({ code: 0 });
    expect(await maxUnavailable(cluster)).toEqual({ ledger: '3', search: '50%', plain: '1' });
  });

  test('turned off by flags alone, as without Slipway: the old value comes back', async (context) => {
    needs(context, 'kubectl');
    const both = ['kube-apiserver', 'kube-controller-manager'];
    await using cluster = await up({
      kubernetes: freeGates,
      nodes: 2,
      args: both.flatMap((name) => ['--component-gates', `${name}:${gate}=true`]),
    });
    expect((await cluster.kubectl(['apply', '-f', manifest])).code).toBe(0);

    for (const name of both) await restart(cluster, name, false);
    // A later write keeps the field of an object that already has it, which is Kubernetes' own rule.
    expect((await cluster.kubectl(['label', 'statefulset', 'ledger', 'touched=yes'])).code).toBe(0);
    for (const name of both) await restart(cluster, name, true);

    expect(await maxUnavailable(cluster)).toEqual({ ledger: '3', search: '50%', plain: '1' });
  });
});

async function turn(cluster: RunningCluster, to: 'on' | 'off') {
  const done = await cluster.slipway(['feature', to, gate, '--yes', '--timeout=60s']);
  expect(done, done.stderr).toMatchObject({ code: 0 });
  expect((await stateOf(cluster)).toLowerCase()).toBe(to);
}

async function restart(cluster: RunningCluster, name: string, value: boolean) {
  const done = await cluster.slipway(['dev', 'component', 'restart', name, '--gates', `${gate}=${value}`]);
  expect(done, done.stderr).toMatchObject({ code: 0 });
}

async function stateOf(cluster: RunningCluster): Promise<string> {
  return (await statusOf(cluster)).state ?? '';
}

async function dangling(cluster: RunningCluster): Promise<string | undefined> {
  return (await statusOf(cluster)).conditions?.find(({ type }) => type === 'DanglingReferences')?.status;
}

async function statusOf(cluster: RunningCluster) {
  const features = (await cluster.kube()).resource(Feature);
  return (await features.get({ name: gate.toLowerCase(), namespace: 'kube-system' })).status ?? {};
}

/** maxUnavailable by stateful set; '' where there is none. */
async function maxUnavailable(cluster: RunningCluster): Promise<Record<string, string>> {
  const path = '{range .items[*]}{.metadata.name}={.spec.updateStrategy.rollingUpdate.maxUnavailable}{"\\n"}{end}';
  const listed = await cluster.kubectl(['get', 'statefulsets', '-l', 'story=kep-961', '-o', `jsonpath=${path}`]);
  return Object.fromEntries(
    listed.stdout
      .trim()
      .split('\n')
      .map((line) => line.split('=') as [string, string]),
  );
}

async function podUids(cluster: RunningCluster): Promise<Record<string, string>> {
  return await eventually('all pods are ready', async () => {
    const listed = await cluster.kubectl(['get', 'pods', '-o', 'json']);
    const pods: { metadata: { name: string; uid: string }; status: { phase?: string } }[] = JSON.parse(
      listed.stdout,
    ).items;
    if (pods.length !== 9 || pods.some((pod) => pod.status.phase !== 'Running')) return undefined;
    return Object.fromEntries(pods.map((pod) => [pod.metadata.name, pod.metadata.uid]));
  });
}
