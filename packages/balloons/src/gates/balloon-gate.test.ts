import { expect, test } from 'vitest';
import { balloonGate, nodeBalloonsGate } from './balloon-gate.js';

test('balloonGate() is on, unless a flag says otherwise, and knows no other gate', () => {
  expect(balloonGate().enabled(nodeBalloonsGate)).toBe(true);
  expect(balloonGate('NodeBalloons=false').enabled(nodeBalloonsGate)).toBe(false);
  expect(() => balloonGate('NodeBallons=false')).toThrow('NodeBallons');
});
