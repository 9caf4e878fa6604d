import { type Dependencies, unmetDependencies } from './dependencies.js';
import { type Step, stepAt } from './specs.js';
import type { EffectiveVersion } from './version.js';

/** What is registered. */
export interface Registry {
  readonly known: ReadonlyMap<string, readonly Step[]>;
  readonly dependencies: Dependencies;
}

/** Something an operator should know although nothing failed. */
export interface GateWarning {
  readonly kind:
    | 'setGA'
    | 'setDeprecated'
    | 'overrideGA'
    | 'overrideDeprecated'
    | 'queriedChanged'
    | 'sweptValueKept'
    | 'inconsistentRead';
  readonly gate: string;
  readonly message: string;
}

/** What the typed settings come to. With errors, `values` must not be used. */
export interface Resolution {
  /** Every gate that does not follow its default: typed ones, and those swept along by AllAlpha or AllBeta. */
  readonly values: ReadonlyMap<string, boolean>;
  readonly errors: readonly string[];
  readonly warnings: readonly GateWarning[];
}

/** The two gates that stand for all gates of a stage. */
export const sweeps: ReadonlyMap<string, 'Alpha' | 'Beta'> = new Map([
  ['AllAlpha', 'Alpha'],
  ['AllBeta', 'Beta'],
]);

/**
 * Resolves typed settings on top of `before`.
 *
 * A sweep reaches only gates without a value, so an explicit value wins in any
 * order, and gates swept before keep what they got. Upstream does not ask the lock
 * when sweeping; `respectLocks` does. The first unknown gate ends the resolution.
 */
export function resolve(
  registry: Registry,
  typed: ReadonlyMap<string, boolean>,
  before: ReadonlyMap<string, boolean>,
  at: EffectiveVersion,
  respectLocks: boolean,
): Resolution {
  const values = new Map(before);
  const errors: string[] = [];
  const warnings: GateWarning[] = [];
  for (const [gate, value] of typed) {
    const steps = registry.known.get(gate);
    if (!steps) return { values, errors: [...errors, `unrecognized feature gate: ${gate}`], warnings };
    const step = stepAt(steps, at);
    const sweep = sweeps.get(gate);
    const refusal = refusalOf(gate, value, step, at);
    if (refusal) {
      errors.push(refusal);
      continue;
    }
    if (sweep) sweepStage(registry, sweep, value, values, at, respectLocks);
    else warnings.push(...maturityWarning(gate, value, step));
    values.set(gate, value);
  }
  if (errors.length > 0) return { values, errors, warnings };
  const isOn = (gate: string) => values.get(gate) ?? defaultOf(registry, gate, at);
  return { values, errors: unmetDependencies(registry.dependencies, isOn), warnings };
}

/** The default of a registered gate at an effective version. */
export function defaultOf(registry: Registry, gate: string, at: EffectiveVersion): boolean {
  return stepAt(registry.known.get(gate) ?? [], at).default;
}

/** Why a gate cannot have this value at this version, or undefined when it can. */
export function refusalOf(gate: string, value: boolean, step: Step, at: EffectiveVersion): string | undefined {
  if (step.locked && step.default !== value) {
    return `cannot set feature gate ${gate} to ${value}, feature is locked to ${step.default}`;
  }
  if (step.stage === 'PreAlpha') {
    const version = `emulated version ${at.emulation.text}, min compatibility version ${at.minCompatibility.text}`;
    return `cannot set feature gate ${gate} to ${value}, feature is PreAlpha at ${version}`;
  }
  return undefined;
}

function sweepStage(
  registry: Registry,
  stage: 'Alpha' | 'Beta',
  value: boolean,
  values: Map<string, boolean>,
  at: EffectiveVersion,
  respectLocks: boolean,
): void {
  for (const [gate, steps] of registry.known) {
    const step = stepAt(steps, at);
    if (sweeps.has(gate) || step.stage !== stage || values.has(gate)) continue;
    if (respectLocks && step.locked) continue;
    values.set(gate, value);
  }
}

function maturityWarning(gate: string, value: boolean, step: Step): GateWarning[] {
  const future = 'It will be removed in a future release.';
  if (step.stage === 'GA') {
    return [{ kind: 'setGA', gate, message: `Setting GA feature gate ${gate}=${value}. ${future}` }];
  }
  if (step.stage === 'Deprecated') {
    return [{ kind: 'setDeprecated', gate, message: `Setting deprecated feature gate ${gate}=${value}. ${future}` }];
  }
  return [];
}
