import { describe, expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { handsOn, quarter, sized } from '../support/hands-on-nodes.js';
import { sharedCluster } from '../support/shared-cluster.js';
import { eventually, upAlone } from '../support/slipway.js';

describe('node sizes where the priority class of the proposal is not used', () => {
  const on = handsOn(sharedCluster({ nodes: 1, args: sized }).cluster);

  test('Polite: a critical pod displaces the balloon; it comes back as large as fits', async () => {
    await on.setPolicy({ priorityMode: 'Polite' });
    await eventually('there is a balloon', () => on.balloon('n1'));
    await on.policyReady();
    await on.resize('n1', { ...quarter, fit: 'BestEffort' });
    await on.run('critical', 'n1', { cpu: '6', memory: '1Gi' }, { priorityClassName: 'system-node-critical' });
    await on.isReady('critical');
    await eventually('the balloon is back', async () => (await on.size('n1')).status?.size?.cpu === '6', 40_000);
    await on.forget('critical');
    await eventually('and has its size again', async () => (await on.size('n1')).status?.size?.cpu === '4');
  }, 90_000);

  test('Protected on a kubelet that would evict for it: refused', async () => {
    await on.setPolicy({ enabled: false });
    await eventually('no balloon is left', async () => !(await on.balloon('n1')));
    await on.setPolicy({ enabled: true, priorityMode: 'Protected' });
    await eventually('it is refused', async () => {
      const { status } = await on.size('n1');
      return status?.conditions?.some(
        ({ type, status: is, reason }) => type === 'Degraded' && is === 'True' && reason === 'PriorityUnsafe',
      );
    });
    expect((await on.size('n1')).status?.size?.cpu).toBe('16');
  }, 60_000);
});

test('the leader killed right after its patch: the next one closes the ticket', async (context) => {
  needs(context, 'kubectl');
  const { mkdtempSync, rmSync } = await import('node:fs');
  const { tmpdir } = await import('node:os');
  const { join } = await import('node:path');
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-node-sizes-'));
  const args = ['--node-cpu', '16', '--node-memory', '64Gi'];
  let cluster = await upAlone({ nodes: 1, dataDir, args });
  const on = handsOn(() => cluster);
  try {
    await on.setPolicy({});
    await eventually('there is a balloon', () => on.balloon('n1'));
    await on.policyReady();
    await cluster.slipway(['dev', 'node', 'stop', 'n1']);
    await on.ask('n1', { ...quarter, fence: 'Never', requestID: 'a1' });
    await eventually('it is asked for', async () => {
      const pod = await on.balloon('n1');
      return JSON.stringify(pod?.spec).includes('"cpu":"12"');
    });
    await cluster.end('SIGKILL');
    cluster = await upAlone({ nodes: 1, dataDir, args });
    const size = await eventually('it is done', async () => {
      const { status } = await on.size('n1');
      return status?.observedRequestID === 'a1' && !status.resize && status;
    });
    expect(['Succeeded', 'NoChange']).toContain(size.lastResize?.result);
    expect(size.size).toEqual(quarter.size);
  } finally {
    await cluster[Symbol.asyncDispose]();
    rmSync(dataDir, { recursive: true, force: true });
  }
}, 90_000);
