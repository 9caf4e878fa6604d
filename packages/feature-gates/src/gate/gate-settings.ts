import { addDependencies, type Dependencies, unmetDependencies } from './dependencies.js';
import { FeatureGateError } from './feature-gate-error.js';
import { defaultOf, type GateWarning, type Registry, refusalOf, resolve, sweeps } from './resolve.js';
import {
  type GateSpec,
  historyText,
  type Step,
  sameHistory,
  stepAt,
  unversioned,
  type VersionedGateSpec,
  versioned,
} from './specs.js';
import { type EffectiveVersion, majorMinor, minorBefore, parseVersion } from './version.js';

/** The gate specs of one registration: one spec for all versions, or a history. */
export type GateSpecs = Readonly<Record<string, GateSpec | readonly VersionedGateSpec[]>>;

/** Everything that decides the values of a process's gates, except published values. Never changed, only replaced. */
export interface GateSettings extends Registry {
  readonly at: EffectiveVersion;
  /** What was typed, also when it was refused: upstream remembers it. */
  readonly typed: ReadonlyMap<string, boolean>;
  /** What typed settings came to when they were last accepted. */
  readonly values: ReadonlyMap<string, boolean>;
  readonly closed: boolean;
}

/** The settings after a change, and what there is to say about it. With errors the values are those from before. */
export interface Outcome {
  readonly settings: GateSettings;
  readonly errors: readonly string[];
  readonly warnings: readonly GateWarning[];
}

/** Settings that know no gate but AllAlpha and AllBeta. */
export function noGates(at: EffectiveVersion): GateSettings {
  const none: GateSettings = {
    at,
    known: new Map(),
    dependencies: new Map(),
    typed: new Map(),
    values: new Map(),
    closed: false,
  };
  const specs = [...sweeps].map(([gate, stage]) => [gate, { stage, default: false }] as const);
  return withGates(none, Object.fromEntries(specs));
}

/** Reads the version to behave like. The oldest to stay compatible with is one minor below unless told. */
export function effectiveVersion(version: string, minCompatibilityVersion?: string): EffectiveVersion {
  const emulation = majorMinor(parseVersion(version));
  const min = minCompatibilityVersion;
  return { emulation, minCompatibility: min === undefined ? minorBefore(emulation) : majorMinor(parseVersion(min)) };
}

/** Registers gates: all of them, or it throws an Error in upstream's words. */
export function withGates(settings: GateSettings, gates: GateSpecs): GateSettings {
  if (settings.closed) throw new Error('cannot add a feature gate after adding it to the flag set');
  const known = new Map(settings.known);
  for (const [gate, specs] of Object.entries(gates)) {
    const steps = isHistory(specs) ? versioned(gate, specs) : unversioned(specs);
    const before = known.get(gate);
    if (before && !sameHistory(before, steps)) {
      const text = historyText(before);
      throw new Error(`feature gate ${JSON.stringify(gate)} with different spec already exists: ${text}`);
    }
    known.set(gate, steps);
  }
  return { ...settings, known };
}

/** Adds dependencies, or throws an Error in upstream's words. */
export function withDependencies(
  settings: GateSettings,
  more: Readonly<Record<string, readonly string[]>>,
): GateSettings {
  if (settings.closed) throw new Error('cannot add a feature gate dependency after adding it to the flag set');
  const dependencies: Dependencies = addDependencies(settings.dependencies, more, settings.known);
  return { ...settings, dependencies };
}

/**
 * Takes typed settings, on top of those typed before. Refused ones are remembered as
 * upstream does, unless `strict`; nothing else changes then.
 */
export function withTyped(settings: GateSettings, more: ReadonlyMap<string, boolean>, strict: boolean): Outcome {
  const typed = new Map([...settings.typed, ...more]);
  const base = strict ? new Map<string, boolean>() : settings.values;
  const { values, errors, warnings } = resolve(settings, typed, base, settings.at, strict);
  if (errors.length > 0) return { settings: strict ? settings : { ...settings, typed }, errors, warnings };
  const kept = strict ? [] : keptSweeps(settings.typed, more);
  return { settings: { ...settings, typed, values }, errors, warnings: [...warnings, ...kept] };
}

/** Forgets the setting of one gate, typed or swept. */
export function withoutTyped(settings: GateSettings, gate: string): GateSettings {
  if (settings.typed.has(gate) && !settings.values.has(gate)) {
    throw new FeatureGateError([`feature:${gate} was explicitly set, but not in enabled map`]);
  }
  const others = (map: ReadonlyMap<string, boolean>) => new Map([...map].filter(([other]) => other !== gate));
  return { ...settings, typed: others(settings.typed), values: others(settings.values) };
}

/** Changes a default for the entry that applies at `at`, or throws an Error in upstream's words. */
export function withDefault(settings: GateSettings, gate: string, value: boolean, at: EffectiveVersion): Outcome {
  const name = JSON.stringify(gate);
  if (settings.closed) {
    throw new Error(`cannot override default for feature ${name}: gates already added to a flag set`);
  }
  const steps = settings.known.get(gate);
  if (!steps) throw new Error(`cannot override default: feature ${name} is not registered`);
  const step = stepAt(steps, at);
  if (step.locked) throw new Error(`cannot override default: feature ${name} default is locked to ${step.default}`);
  if (step.stage === 'PreAlpha') {
    throw new Error(`cannot override default: feature ${name} is not available before version ${at.emulation.text}`);
  }
  const changed = steps.map((other) => (other === step ? { ...step, default: value } : other));
  const known = new Map(settings.known).set(gate, changed);
  return { settings: { ...settings, known }, errors: [], warnings: overrideWarning(gate, value, step) };
}

/** Emulates another version: typed settings are resolved anew, sweeps too. With errors everything stays as it was. */
export function withVersion(settings: GateSettings, at: EffectiveVersion, strict: boolean): Outcome {
  const { values, errors, warnings } = resolve(settings, settings.typed, new Map(), at, strict);
  return { settings: errors.length > 0 ? settings : { ...settings, at, values }, errors, warnings };
}

/** The entry of a gate's history that applies now. */
export function stepOf(settings: GateSettings, gate: string): Step {
  return stepAt(settings.known.get(gate) ?? [], settings.at);
}

/** Typed, then published, then swept, then the default; a published value that the version refuses does not count. */
export function decide(settings: GateSettings, gate: string, published: boolean | undefined): boolean {
  const otherwise = settings.values.get(gate) ?? defaultOf(settings, gate, settings.at);
  if (published === undefined || settings.typed.has(gate)) return otherwise;
  return refusalOf(gate, published, stepOf(settings, gate), settings.at) === undefined ? published : otherwise;
}

/** Explains why one gate must not change while the process runs: its own stage, or a dependency that would break. */
export function refusalOfChange(
  settings: GateSettings,
  gate: string,
  value: boolean,
  isOn: (gate: string) => boolean,
): string | undefined {
  const refusal = refusalOf(gate, value, stepOf(settings, gate), settings.at);
  if (refusal !== undefined) return refusal;
  const broken = new Set(unmetDependencies(settings.dependencies, isOn));
  const then = unmetDependencies(settings.dependencies, (other) => (other === gate ? value : isOn(other)));
  return then.find((error) => !broken.has(error));
}

function isHistory(specs: GateSpec | readonly VersionedGateSpec[]): specs is readonly VersionedGateSpec[] {
  return Array.isArray(specs);
}

function keptSweeps(before: ReadonlyMap<string, boolean>, now: ReadonlyMap<string, boolean>): GateWarning[] {
  return [...sweeps.keys()].flatMap((gate) => {
    const [was, is] = [before.get(gate), now.get(gate)];
    if (was === undefined || is === undefined || was === is) return [];
    const message = `${gate}=${is} leaves the gates that ${gate}=${was} set as they are`;
    return [{ kind: 'sweptValueKept' as const, gate, message }];
  });
}

function overrideWarning(gate: string, value: boolean, step: Step): GateWarning[] {
  const setting = `feature gate ${gate}=${value}. It will be removed in a future release.`;
  if (step.stage === 'GA') return [{ kind: 'overrideGA', gate, message: `Overriding default of GA ${setting}` }];
  if (step.stage !== 'Deprecated') return [];
  return [{ kind: 'overrideDeprecated', gate, message: `Overriding default of deprecated ${setting}` }];
}
