import { expect, test } from 'vitest';
import { gateAt } from './gate-at.js';
import { kubernetesGates } from './gate-catalogue.js';
import { minorsBetween } from './minor-versions.js';

/** `Beta on locked`, or the kind. */
function at(name: string, version: string, minCompatibility?: string): string {
  const gate = kubernetesGates.gates.get(name);
  if (!gate) throw new Error(`no facts of ${name}`);
  const found = gateAt(kubernetesGates, gate, version, minCompatibility);
  if (found.kind !== 'present') return found.kind;
  return `${found.stage} ${found.default ? 'on' : 'off'}${found.locked ? ' locked' : ''}`;
}

test.each([
  ['ImageVolume', '1.30', 'notYet'],
  ['ImageVolume', '1.34', 'Beta off'],
  ['ImageVolume', 'v1.35.2', 'Beta on'],
  ['ImageVolume', '1.36', 'GA on locked'],
  // Proven by the tag of 1.34, so its end is known.
  ['ComponentSLIs', '1.34', 'GA on locked'],
  ['ComponentSLIs', '1.35', 'removed'],
  // Only seen in a development list of 1.34: gone by 1.37, since when is unknown.
  ['MemoryManager', '1.34', 'GA on locked'],
  ['MemoryManager', '1.36', 'unknown'],
  ['MemoryManager', '1.37', 'removed'],
  // Nothing is known of what comes after the facts, but what is gone does not come back.
  ['ImageVolume', '1.38', 'unknown'],
  ['MemoryManager', '1.38', 'removed'],
])('gateAt() of %s at %s is %s', (name, version, expected) => {
  expect(at(name, version)).toBe(expected);
});

test('gateAt() leaves out a stage that asks for a newer minimum compatibility version', () => {
  expect(at('DRAFractionalCapacityRange', '1.37')).toBe('Beta off');
  expect(at('DRAFractionalCapacityRange', '1.37', '1.37')).toBe('Beta on');
});

test.each([
  ['v1.34.2', '1.37', '1.35 1.36 1.37'],
  ['1.36', '1.34', '1.35 1.34'],
  ['1.34.1', '1.34.9', ''],
])('minorsBetween() %s and %s are %s', (from, to, expected) => {
  expect(minorsBetween(from, to).join(' ')).toBe(expected);
});
