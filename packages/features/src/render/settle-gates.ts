import { type GateAt, gateAt } from '../releases/gate-at.js';
import type { GateCatalogue, ReleasedGate } from '../releases/gate-catalogue.js';

/** A gate that a component of the version is to be given. */
export interface SettledGate {
  readonly gate: string;
  readonly value: boolean;
  /** Who runs it; undefined when that is not known. */
  readonly components: readonly string[] | undefined;
  /** The gate that cannot have its value without this one. */
  readonly neededBy?: string;
}

/** A gate that the version must not be given. */
export interface LeftOutGate {
  readonly gate: string;
  readonly value: boolean;
  readonly why: string;
  /** Whether the version behaves as was asked for all the same. */
  readonly isMet: boolean;
}

/** What can be set in a version of what was asked for, and what cannot. Both are sorted by name. */
export interface SettledGates {
  readonly gates: readonly SettledGate[];
  readonly leftOut: readonly LeftOutGate[];
}

/**
 * Finds settings that every component of a version accepts: a gate that it does not know, or that is
 * locked, keeps it from starting, and so does a gate that is on without those it depends on.
 */
export function settleGates(
  wishes: ReadonlyMap<string, boolean>,
  version: string,
  catalogue: GateCatalogue,
): SettledGates {
  const settling = new Settling(wishes, version, catalogue);
  for (const [gate, value] of wishes) settling.settle(gate, value);
  const byName = (a: { readonly gate: string }, b: { readonly gate: string }) => (a.gate < b.gate ? -1 : 1);
  return { gates: spread(settling.gates, catalogue).sort(byName), leftOut: settling.leftOut.sort(byName) };
}

/**
 * Whoever is given a gate is given those that it cannot do without: the programs of Kubernetes
 * share one registry, so each of them checks dependencies of gates that it does not run itself.
 */
function spread(gates: ReadonlyMap<string, SettledGate>, catalogue: GateCatalogue): SettledGate[] {
  const runnersOf = new Map([...gates].map(([gate, { components }]) => [gate, components && new Set(components)]));
  for (let grew = true; grew; ) {
    grew = false;
    for (const [gate, { value }] of gates) {
      for (const other of catalogue.gates.get(gate)?.dependsOn ?? []) {
        if (gates.get(other)?.value !== value) continue;
        const [from, to] = value ? [gate, other] : [other, gate];
        const [runners, given] = [runnersOf.get(from), runnersOf.get(to)];
        if (given === undefined || (runners && [...runners].every((name) => given.has(name)))) continue;
        runnersOf.set(to, runners && new Set([...given, ...runners]));
        grew = true;
      }
    }
  }
  return [...gates.values()].map((settled) => {
    const runners = runnersOf.get(settled.gate);
    return { ...settled, components: runners && [...runners].sort() };
  });
}

class Settling {
  readonly gates = new Map<string, SettledGate>();
  readonly leftOut: LeftOutGate[] = [];
  readonly #wishes: ReadonlyMap<string, boolean>;
  readonly #version: string;
  readonly #catalogue: GateCatalogue;
  readonly #refused = new Set<string>();

  constructor(wishes: ReadonlyMap<string, boolean>, version: string, catalogue: GateCatalogue) {
    this.#wishes = wishes;
    this.#version = version;
    this.#catalogue = catalogue;
  }

  /** Whether the gate has the value then, set or by itself. */
  settle(gate: string, value: boolean, neededBy?: string): boolean {
    const known = this.gates.get(gate);
    if (known) return known.value === value;
    if (this.#refused.has(gate)) return false;
    const released = this.#catalogue.gates.get(gate);
    const at = released && gateAt(this.#catalogue, released, this.#version);
    const outcome = released && at ? fateOf(released, at, value, this.#version) : this.#unheardOf(gate);
    if (outcome !== 'settable') {
      if (neededBy === undefined) this.#leaveOut(gate, value, outcome.why, outcome.isMet);
      return outcome.isMet;
    }
    const before = new Map(this.gates);
    const isAdded = neededBy !== undefined && !this.#wishes.has(gate);
    // Noted first, so that gates that need each other come to an end.
    this.gates.set(gate, {
      gate,
      value,
      components: released?.components,
      ...(isAdded && { neededBy }),
    });
    const obstacle = value ? this.#needs(gate, released?.dependsOn ?? []) : this.#isNeeded(gate);
    if (obstacle === undefined) return true;
    // What was added for its sake only goes with it.
    this.gates.clear();
    for (const [name, settled] of before) this.gates.set(name, settled);
    if (neededBy === undefined) this.#leaveOut(gate, value, obstacle, false);
    return false;
  }

  #leaveOut(gate: string, value: boolean, why: string, isMet: boolean): void {
    this.#refused.add(gate);
    this.leftOut.push({ gate, value, why, isMet });
  }

  #unheardOf(gate: string): { readonly why: string; readonly isMet: boolean } {
    const same = [...this.#catalogue.gates.keys()].find((name) => name.toLowerCase() === gate.toLowerCase());
    return { why: same ? `Kubernetes calls it ${same}` : 'Kubernetes has no gate of this name', isMet: false };
  }

  /** Turns on what a gate depends on. Says what is in the way, if something is. */
  #needs(gate: string, dependencies: readonly string[]): string | undefined {
    for (const other of dependencies) {
      if (this.#wishes.get(other) === false) return `it needs ${other}, which was asked to be false`;
      if (this.#isByItself(other, true)) continue;
      if (!this.settle(other, true, gate)) return `it needs ${other}, which ${this.#version} cannot turn on`;
    }
    return undefined;
  }

  /** Turns off what is on by itself and depends on a gate. Says what is in the way, if something is. */
  #isNeeded(gate: string): string | undefined {
    for (const [other, { dependsOn = [] }] of this.#catalogue.gates) {
      if (!dependsOn.includes(gate) || this.#wishes.has(other) || !this.#isByItself(other, true)) continue;
      if (!this.settle(other, false, gate)) return `${other} needs it, and ${this.#version} cannot turn that off`;
    }
    return undefined;
  }

  #isByItself(gate: string, value: boolean): boolean {
    const released = this.#catalogue.gates.get(gate);
    const at = released && gateAt(this.#catalogue, released, this.#version);
    if (!released || !at) return false;
    return at.kind === 'present' ? at.default === value : at.kind === 'removed' && lastValue(released) === value;
  }
}

type Fate = 'settable' | { readonly why: string; readonly isMet: boolean };

function fateOf(released: ReleasedGate, at: GateAt, value: boolean, version: string): Fate {
  switch (at.kind) {
    case 'notYet':
      return { why: `${version} does not have it yet`, isMet: !value };
    case 'removed':
      return { why: `${version} does not have it any more`, isMet: lastValue(released) === value };
    case 'unknown':
      return { why: `whether ${version} has it is not known`, isMet: false };
    case 'present':
      return at.locked ? { why: `${version} has it locked to ${at.default}`, isMet: at.default === value } : 'settable';
  }
}

/** What a gate stands for after it was removed: a feature that became stable stays. */
function lastValue({ stages }: ReleasedGate): boolean {
  return stages.at(-1)?.stage === 'GA';
}
