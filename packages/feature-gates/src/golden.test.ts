import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createFeatureGate, type FeatureGate } from './feature-gate.js';
import { FeatureGateError } from './gate/feature-gate-error.js';
import type { GateWarning } from './gate/resolve.js';
import type { GateSpec, Stage, VersionedGateSpec } from './gate/specs.js';

/** Measured on upstream's Go package. */
const path = fileURLToPath(new URL('../../../testdata/feature-gate-flags/featuregate-golden.json', import.meta.url));

interface MeasuredSpec {
  readonly version?: string;
  readonly preRelease: Stage;
  readonly default: boolean;
  readonly lockToDefault: boolean;
  readonly minCompatibilityVersion?: string;
}
interface MeasuredRegistry {
  readonly unversioned?: Readonly<Record<string, MeasuredSpec>>;
  readonly versioned?: Readonly<Record<string, readonly MeasuredSpec[]>>;
  readonly dependencies?: Readonly<Record<string, readonly string[]>>;
}
interface Operation {
  readonly op: string;
  readonly value?: string | boolean;
  readonly values?: Readonly<Record<string, boolean>>;
  readonly name?: string;
  readonly version?: string;
  readonly minCompat?: string;
  readonly features?: Readonly<Record<string, MeasuredSpec | readonly MeasuredSpec[]>>;
  readonly dependencies?: Readonly<Record<string, readonly string[]>>;
  readonly operations?: readonly Operation[];
}
interface Case {
  readonly id: string;
  readonly title: string;
  readonly registry: string;
  readonly emulation: string;
  readonly minCompat?: string;
  readonly operations: readonly Operation[];
  readonly result?: unknown;
  readonly anyOf?: readonly unknown[];
}
interface Step {
  errors: readonly string[];
  warnings: readonly unknown[];
  value?: unknown;
}
interface Golden {
  readonly registries: Readonly<Record<string, MeasuredRegistry>>;
  readonly cases: readonly Case[];
}

describe('--feature-gates as measured on upstream', () => {
  const golden: Golden = JSON.parse(readFileSync(path, 'utf8'));
  test('there are 239 cases', () => expect(golden.cases).toHaveLength(239));

  test.each(golden.cases)('$id $title', (measured) => {
    const story = new Story(golden.registries[measured.registry] ?? {}, measured.emulation, measured.minCompat);
    for (const operation of measured.operations) story.play(operation);
    const wanted = measured.anyOf ?? [measured.result];
    const asksForHelp = wanted.some((result) => Object.hasOwn(result as object, 'knownFeatures'));
    expect(wanted).toContainEqual(story.result(asksForHelp));
  });
});

/** Plays the operations of one case and writes down what the recorder of the measurement wrote down. */
class Story {
  #gate: FeatureGate;
  #warnings: GateWarning[] = [];
  readonly #names = new Set(['AllAlpha', 'AllBeta']);
  readonly steps: Step[] = [];

  constructor(registry: MeasuredRegistry, emulation: string, minCompat?: string) {
    const options = minCompat === undefined ? {} : { minCompatibilityVersion: minCompat };
    const onWarning = (warning: GateWarning) => this.#warnings.push(warning);
    this.#gate = createFeatureGate({ component: 'golden', version: emulation, ...options, onWarning });
    this.#add(registry.unversioned ?? {});
    this.#add(registry.versioned ?? {});
    this.#gate.addDependencies(registry.dependencies ?? {});
  }

  play(operation: Operation): void {
    this.#warnings = [];
    const step: Step = { errors: [], warnings: [] };
    try {
      const value = this.#perform(operation);
      if (value !== undefined) step.value = value;
    } catch (error) {
      step.errors = errorsOf(error);
    }
    step.warnings = this.#warnings.flatMap(asMeasured);
    if (operation.op === 'validate') {
      step.errors = (step.value as readonly string[]).toSorted();
      delete step.value;
    }
    this.steps.push(step);
  }

  result(withHelp: boolean) {
    const gate = this.#gate;
    const enabled = this.enabled();
    const steps = this.steps;
    const explicitlySet = Object.keys(enabled).filter((name) => gate.explicitlySet(name));
    const result = {
      enabled,
      explicitlySet,
      errors: steps.flatMap((step) => step.errors),
      warnings: steps.flatMap((step) => step.warnings),
      steps,
      string: gate.toString(),
      emulation: gate.emulationVersion,
      minCompat: gate.minCompatibilityVersion,
    };
    return withHelp ? { ...result, knownFeatures: gate.knownFeatures() } : result;
  }

  enabled(): Record<string, boolean> {
    const values: Record<string, boolean> = {};
    for (const name of [...this.#names].sort()) {
      try {
        values[name] = this.#gate.enabled(name);
      } catch {
        // Adding it was refused, so it is not registered.
      }
    }
    return values;
  }

  #add(features: Readonly<Record<string, MeasuredSpec | readonly MeasuredSpec[]>>): void {
    for (const name of Object.keys(features)) this.#names.add(name);
    this.#gate.add(ours(features));
  }

  #playOnCopy(operations: readonly Operation[]): unknown {
    const original = this.#gate;
    const before = this.steps.splice(0);
    this.#gate = original.copy();
    for (const operation of operations) this.play(operation);
    const value = { enabled: this.enabled(), steps: this.steps.splice(0) };
    this.steps.push(...before);
    this.#gate = original;
    return value;
  }

  #perform(operation: Operation): unknown {
    const gate = this.#gate;
    const { name = '', version = '', value } = operation;
    switch (operation.op) {
      case 'set':
        return gate.set(String(value));
      case 'setFromMap':
        return gate.setFromMap(operation.values ?? {});
      case 'validate':
        return gate.validate();
      case 'reset':
        return gate.resetToDefault(name);
      case 'enabled':
        return gate.enabled(name);
      case 'getAll':
        return gate.list().map((state) => state.name);
      case 'metrics':
        return samples(gate.metrics());
      case 'dependencies':
        return gate.dependencies();
      case 'setEmulation':
        return gate.setEmulationVersion(version);
      case 'setEmulationAndMinCompat':
        return gate.setEmulationVersion(version, operation.minCompat);
      case 'addFlag':
        return gate.flag().type;
      case 'close':
        return gate.close();
      case 'add':
      case 'addVersioned':
        return this.#add(operation.features ?? {});
      case 'addDependencies':
        return gate.addDependencies(operation.dependencies ?? {});
      case 'overrideDefault':
        return gate.overrideDefault(name, value === true);
      case 'overrideDefaultAtVersion':
        return gate.overrideDefault(name, value === true, version);
      case 'deepCopy':
        this.#gate = gate.copy();
        return undefined;
      case 'deepCopyAndReset':
        this.#gate = gate.copyAndReset();
        return undefined;
      case 'onCopy':
        return this.#playOnCopy(operation.operations ?? []);
      default:
        throw new Error(`unknown operation ${operation.op}`);
    }
  }
}

function ours(features: Readonly<Record<string, MeasuredSpec | readonly MeasuredSpec[]>>) {
  const spec = (measured: MeasuredSpec): GateSpec & Partial<VersionedGateSpec> => ({
    stage: measured.preRelease,
    default: measured.default,
    locked: measured.lockToDefault,
    ...(measured.version === undefined ? {} : { version: measured.version }),
    ...(measured.minCompatibilityVersion === undefined ? {} : { minCompatibility: measured.minCompatibilityVersion }),
  });
  const entries = Object.entries(features).map(([name, measured]) => [
    name,
    Array.isArray(measured) ? measured.map(spec) : spec(measured as MeasuredSpec),
  ]);
  return Object.fromEntries(entries) as Record<string, GateSpec | VersionedGateSpec[]>;
}

function errorsOf(error: unknown): string[] {
  if (error instanceof FeatureGateError) return [...error.errors].sort();
  if (error instanceof RangeError) return [`panic: ${error.message}`];
  if (error instanceof Error) return [error.message];
  throw error;
}

/** Warnings of ours that upstream does not have are not measured. */
function asMeasured({ kind, gate, message }: GateWarning): unknown[] {
  if (kind === 'sweptValueKept' || kind === 'inconsistentRead') return [];
  if (kind === 'queriedChanged') {
    const [, oldValue, newValue] = /from (true|false) to (true|false)/.exec(message) ?? [];
    return [{ class: kind, gate, oldValue: oldValue === 'true', newValue: newValue === 'true' }];
  }
  return [{ class: kind, gate, value: /=true\b/.test(message) }];
}

function samples(text: string): string[] {
  const pattern = /^kubernetes_feature_enabled\{name="(.*)",(stage=".*")\} (\d)$/gm;
  return [...text.matchAll(pattern)].map(([, name, stage, value]) => `${name} ${stage} ${value}`);
}
