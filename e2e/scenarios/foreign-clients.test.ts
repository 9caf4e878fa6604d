import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../packages/cli/src/testing/test-folder.js';
import { clients } from '../../tools/foreign/clients.mjs';
import { pathsOf } from '../../tools/foreign/operator-programs.mjs';
import { needs } from '../../tools/real-parts.js';
import { kubectl } from '../support/foreign/running-operator.js';
import { type RunningCluster, repository, run, up } from '../support/slipway.js';

// Clients of others, built from their sources.

const samples = join(repository, 'e2e/support/foreign');

test.for(['helm-3', 'helm-4'])(
  '%s installs, upgrades, rolls back, tests and removes a chart',
  async (name, context) => {
    needs(context, 'foreign software');
    needs(context, 'kubectl');
    await using cluster = await up({ nodes: 1, args: ['--ephemeral'] });
    const home = testFolder();
    const chart = join(samples, 'chart');
    const helm = (...words: string[]) => succeed(name, words, { KUBECONFIG: cluster.kubeconfig, HOME: home });
    const replicas = () => kubectl(cluster, ['get', 'deploy', 'rye', '-o', 'jsonpath={.status.readyReplicas}']);

    await helm('install', 'rye', chart, '--wait', '--timeout=60s');
    expect(await replicas()).toBe('1');
    expect(await kubectl(cluster, ['get', 'loaf', 'rye', '-o', 'jsonpath={.spec.grams}'])).toBe('500');
    await helm('upgrade', 'rye', chart, '--set=replicas=2', '--wait', '--timeout=60s');
    expect(await replicas()).toBe('2');
    await helm('rollback', 'rye', '1', '--wait', '--timeout=60s');
    expect(await replicas()).toBe('1');
    const history = JSON.parse(await helm('history', 'rye', '-o', 'json')) as { status: string }[];
    expect(history.map(({ status }) => status)).toEqual(['superseded', 'superseded', 'deployed']);
    expect(await helm('test', 'rye', '--timeout=60s')).toMatch(/Phase: +Succeeded/);
    await helm('uninstall', 'rye', '--wait', '--timeout=60s');
    expect(await kubectl(cluster, ['get', 'deploy,loaf', '-o', 'name'])).toBe('');
  },
);

test('kustomize builds what kubectl applies', async (context) => {
  needs(context, 'foreign software');
  needs(context, 'kubectl');
  await using cluster = await up({ nodes: 1, args: ['--ephemeral'] });
  await apply(cluster, await succeed('kustomize', ['build', join(samples, 'kustomization/overlay')], {}));
  await kubectl(cluster, ['wait', 'deploy/north-stall', '--for=jsonpath={.status.readyReplicas}=2', '--timeout=30s']);
  const image = 'jsonpath={.spec.template.spec.containers[0].image}';
  expect(await kubectl(cluster, ['get', 'deploy', 'north-stall', '-o', image])).toBe('registry.example/till:2');
});

test('the client library for Python is answered as by Kubernetes', async (context) => {
  needs(context, 'Python client of Kubernetes');
  await using cluster = await up({ nodes: 1, args: ['--ephemeral'] });
  const { code, stdout, stderr } = await run('/usr/bin/python3', [join(samples, 'client.py'), cluster.kubeconfig], {
    timeoutMs: 90_000,
  });
  expect(code, stderr).toBe(0);
  expect(stdout.trim().split('\n')).toEqual([
    "'scaled' 3",
    "'exec' 'out\\n' 'err\\n' 3",
    "'echo' 'typed'",
    "'forwarded' 'connection refused'",
    "'custom' 500",
    "'job' 'Complete'",
    "'deleted' 'PodList'",
    "'conflict' '409 Conflict'",
  ]);
});

async function apply(cluster: RunningCluster, objects: string): Promise<void> {
  await kubectl(cluster, ['apply', '--server-side', '-f', '-'], objects);
}

async function succeed(name: string, words: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const client = clients.find((one) => one.name === name);
  if (!client) throw new Error(`no client is called ${name}`);
  const { code, stdout, stderr } = await run(pathsOf(client).program, words, { env, timeoutMs: 90_000 });
  expect(code, `${name} ${words.join(' ')}: ${stderr}`).toBe(0);
  return stdout;
}
