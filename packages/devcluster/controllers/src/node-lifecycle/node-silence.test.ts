import type { Lease } from '@slipway/kube';
import { aNode } from '@slipway/kube-objects/testing/objects';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listen, type Silence } from './node-silence.js';

const lease = (renewTime: string): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'n' },
  spec: { renewTime },
});
const node = aNode('n');

test('listen() counts silence from when a node was first listened to, and from each sign of life', () => {
  let silence: Silence | undefined;
  const at = (nowMs: number, renewed: string) => {
    silence = listen(silence, node, lease(renewed), nowMs, 10_000);
    return silence.silentMs;
  };
  expect([at(1_000, 'a'), at(6_000, 'a'), at(11_000, 'a'), at(12_000, 'b'), at(13_000, 'b')]).toEqual([
    0, 5_000, 10_000, 0, 1_000,
  ]);
});

test('listen() takes a heartbeat of the status for a sign of life, and a new node of the same name for another', () => {
  const heartbeat = (lastHeartbeatTime: string) => ({
    ...node,
    status: {
      conditions: [
        {
          type: 'Ready',
          status: 'True' as const,
          reason: 'r',
          message: 'm',
          lastHeartbeatTime,
          lastTransitionTime: '',
        },
      ],
    },
  });
  const first = listen(undefined, heartbeat('a'), undefined, 0, 10_000);
  expect(listen(first, heartbeat('a'), undefined, 7_000, 10_000).silentMs).toBe(7_000);
  expect(listen(first, heartbeat('b'), undefined, 7_000, 10_000).silentMs).toBe(0);
  const other = { ...heartbeat('a'), metadata: { name: 'n', uid: 'another' } };
  expect(listen(first, other, undefined, 7_000, 10_000).silentMs).toBe(0);
});

test('listen() never counts more than the time that passed, nor time without listening', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 3_600_000 }), { minLength: 1 });
  fc.assert(
    fc.property(gaps, (all) => {
      let nowMs = 0;
      let silence = listen(undefined, node, undefined, nowMs, 10_000);
      for (const gap of all) {
        nowMs += gap;
        silence = listen(silence, node, undefined, nowMs, 10_000);
      }
      expect(silence.silentMs).toBeLessThanOrEqual(nowMs);
      expect(silence.silentMs).toBeLessThanOrEqual(all.length * 10_000);
      if (all.every((gap) => gap <= 10_000)) expect(silence.silentMs).toBe(nowMs);
    }),
  );
});
