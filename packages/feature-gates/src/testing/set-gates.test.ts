import { expect, test } from 'vitest';
import { createFeatureGate } from '../feature-gate.js';
import { setGates } from './set-gates.js';

function aGate() {
  const gate = createFeatureGate({ component: 'test', version: '1.34', onWarning: () => {} });
  gate.add({
    Base: { stage: 'Alpha', default: true },
    Upper: { stage: 'Alpha', default: true },
    Top: { stage: 'Alpha', default: true },
    Fixed: { stage: 'Alpha', default: false, locked: true },
    Other: { stage: 'Beta', default: true },
  });
  gate.addDependencies({ Upper: ['Base'], Top: ['Upper'] });
  return gate;
}

const values = (gate: ReturnType<typeof aGate>) => Object.fromEntries(gate.list().map((g) => [g.name, g.enabled]));

test('setGates() sets a gate until the scope ends, and puts everything back', () => {
  const gate = aGate();
  const before = gate.list();
  {
    using _off = setGates(gate, { Other: false });
    expect(gate.enabled('Other')).toBe(false);
    expect(gate.explicitlySet('Other')).toBe(true);
  }
  expect(gate.list()).toEqual(before);
  expect(gate.toString()).toBe('');
});

test('setGates() may be nested', () => {
  const gate = aGate();
  using _outer = setGates(gate, { Other: false });
  {
    using _inner = setGates(gate, { Other: true, Base: false });
    expect(values(gate)).toMatchObject({ Other: true, Base: false });
  }
  expect(values(gate)).toMatchObject({ Other: false, Base: true });
});

test('setGates() turns off what needs a gate that it turns off, however far away', () => {
  const gate = aGate();
  using _off = setGates(gate, { Base: false });
  expect(values(gate)).toMatchObject({ Base: false, Upper: false, Top: false, Other: true });
});

test('setGates() refuses to break the dependencies of a gate that was typed, and changes nothing', () => {
  const gate = aGate();
  gate.set('Upper=true');
  const before = gate.list();
  expect(() => setGates(gate, { Base: false })).toThrow('Upper is enabled, but depends on');
  expect(gate.list()).toEqual(before);
  gate.set('Other=false');
  expect(gate.enabled('Base')).toBe(true);
});

test('setGates() with AllAlpha reaches typed gates too, but neither locked nor named ones', () => {
  const gate = aGate();
  gate.set('Top=true');
  using _all = setGates(gate, { AllAlpha: false, Base: true });
  expect(values(gate)).toMatchObject({ Base: true, Upper: false, Top: false, Fixed: false, Other: true });
});
