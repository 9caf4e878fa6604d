import type { FeatureGate } from '../feature-gate.js';

/**
 * Sets gates for the length of one test:
 *
 *     using _on = setGates(gate, { FastPath: true });
 *
 * Turning a gate off also turns off the gates that need it, unless they were typed.
 * AllAlpha and AllBeta reach every gate of their stage that is not named here and not
 * locked, also those typed before. Throws a FeatureGateError, with nothing changed,
 * for settings that the gate refuses.
 */
export function setGates(gate: FeatureGate, values: Readonly<Record<string, boolean>>): Disposable {
  const restore = gate.savepoint();
  try {
    gate.setFromMap({ ...sweptBy(gate, values), ...dependentsOf(gate, values), ...values });
  } catch (error) {
    restore();
    throw error;
  }
  return { [Symbol.dispose]: restore };
}

function sweptBy(gate: FeatureGate, values: Readonly<Record<string, boolean>>): Record<string, boolean> {
  const swept: Record<string, boolean> = {};
  for (const { name, stage, locked } of gate.list()) {
    const value = values[`All${stage}`];
    if (value !== undefined && !locked && !(name in values)) swept[name] = value;
  }
  return swept;
}

function dependentsOf(gate: FeatureGate, values: Readonly<Record<string, boolean>>): Record<string, boolean> {
  const off = new Set(Object.keys(values).filter((name) => values[name] === false));
  const dependencies = Object.entries(gate.dependencies());
  const isFree = (name: string) => !off.has(name) && !(name in values) && !gate.explicitlySet(name);
  for (let grew = true; grew; ) {
    const more = dependencies.filter(
      ([dependent, wanted]) => isFree(dependent) && wanted.some((name) => off.has(name)),
    );
    for (const [dependent] of more) off.add(dependent);
    grew = more.length > 0;
  }
  return Object.fromEntries([...off].filter((name) => !(name in values)).map((name) => [name, false]));
}
