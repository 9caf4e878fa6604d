import { describe, expect, test } from 'vitest';
import { sharedCluster } from '../support/shared-cluster.js';
import { eventually } from '../support/slipway.js';

describe('nodes and containers that fail', () => {
  const { cluster, kubectl } = sharedCluster({ nodes: 2, args: ['--ephemeral'] });
  const node = async (...args: string[]) => {
    const done = await cluster().slipway(['dev', 'node', ...args]);
    expect(done.code, `slipway dev node ${args.join(' ')}: ${done.stderr}`).toBe(0);
    return done.stdout;
  };
  const onNode = (name: string, nodeName: string) =>
    kubectl('run', name, '--image=image', '--overrides', JSON.stringify({ spec: { nodeName } }));
  const isReady = (name: string) => kubectl('wait', '--for=condition=Ready', `pod/${name}`, '--timeout=20s');
  const phase = (name: string) => kubectl('get', 'pod', name, '-o', 'jsonpath={.status.phase}');

  for (const verb of ['stop', 'partition']) {
    test(`slipway dev node ${verb}: nothing happens on that node until it starts`, async () => {
      expect(await node(verb, 'n1')).toContain('n1');
      await onNode(`${verb}-here`, 'n1');
      await onNode(`${verb}-there`, 'n2');
      await isReady(`${verb}-there`);
      expect(await phase(`${verb}-here`)).toBe('Pending');
      expect(await node('start', 'n1')).toBe('n1 is back.\n');
      await isReady(`${verb}-here`);
    });
  }

  test('slipway dev node says which nodes there are', async () => {
    const done = await cluster().slipway(['dev', 'node', 'stop', 'n9']);
    expect(done.code).toBe(2);
    expect(done.stderr).toMatch(/no node "n9"[\s\S]*n1, n2/);
  });

  test('a container that fails is started again, then waits; one that succeeds completes its pod', async () => {
    const run = (name: string, exit: string, ...more: string[]) =>
      kubectl('run', name, '--image=image', `--annotations=sim.slipway.dev/${name}=${exit}`, ...more);
    await run('fails', 'exit=3,after=500ms');
    await run('works', 'exit=0,after=500ms', '--restart=Never');
    await kubectl('wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/works', '--timeout=20s');
    expect(await kubectl('get', 'pod', 'works')).toMatch(/works\s+0\/1\s+Completed\s+0 /);
    await eventually('it backs off', async () =>
      /fails\s+0\/1\s+CrashLoopBackOff\s+1 \(\d+s ago\)/.test(await kubectl('get', 'pod', 'fails')),
    );
    const described = await kubectl('describe', 'pod', 'fails');
    expect(described).toMatch(/Reason:\s+CrashLoopBackOff/);
    expect(described).toMatch(/Exit Code:\s+3/);
    expect(described).toContain('Back-off restarting failed container fails in pod fails_default(');
  });
});
