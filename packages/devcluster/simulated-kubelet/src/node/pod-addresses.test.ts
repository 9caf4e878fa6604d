import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nodeAddress, PodAddresses, podRange } from './pod-addresses.js';

test('addresses of nodes and pods lie apart, node by node', () => {
  expect([nodeAddress(0), nodeAddress(1), nodeAddress(300)]).toEqual(['172.18.0.2', '172.18.0.3', '172.18.1.46']);
  expect([podRange(0), podRange(1), podRange(1499)]).toEqual(['10.128.0.0/22', '10.128.4.0/22', '10.151.108.0/22']);
  expect(new PodAddresses(1).addressOf('a')).toBe('10.128.4.2');
});

test('any story: PodAddresses never gives one address to two pods, and a pod keeps its own', () => {
  const step = fc.record({ uid: fc.constantFrom('a', 'b', 'c', 'd'), ends: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 50 }), (story) => {
      const addresses = new PodAddresses(0);
      const held = new Map<string, string>();
      for (const { uid, ends } of story) {
        if (ends) {
          addresses.release(uid);
          held.delete(uid);
          continue;
        }
        const address = addresses.addressOf(uid);
        expect(held.get(uid) ?? address).toBe(address);
        held.set(uid, address);
        expect(new Set(held.values()).size).toBe(held.size);
      }
    }),
  );
});

test('PodAddresses does not give away what a pod had before a restart, and says when none is left', () => {
  const addresses = new PodAddresses(0);
  addresses.keep('old', '10.128.0.2');
  expect(addresses.addressOf('new')).toBe('10.128.0.3');
  expect(addresses.addressOf('old')).toBe('10.128.0.2');
  for (let index = 0; index < 1019; index++) addresses.addressOf(`p${index}`);
  expect(() => addresses.addressOf('one too many')).toThrow(RangeError);
});
