import { compareVersions, type EffectiveVersion, parseVersion, type Version } from './version.js';

/** How mature a gate is, in the words of its specs. */
export type Stage = 'Alpha' | 'Beta' | 'GA' | 'Deprecated';

/** What holds of a gate regardless of version. */
export interface GateSpec {
  readonly stage: Stage;
  readonly default: boolean;
  /** A locked gate refuses to be set to anything but its default. */
  readonly locked?: boolean;
}

/** What holds of a gate from `version` on, until the next entry of its list. */
export interface VersionedGateSpec extends GateSpec {
  /** `major.minor`. */
  readonly version: string;
  /** The entry applies only while the process need not work with anything older than this. */
  readonly minCompatibility?: string;
}

/** One entry of a gate's history, checked. `PreAlpha` stands for "before its first entry" and is never registered. */
export interface Step {
  readonly version: Version;
  readonly minCompatibility?: Version;
  readonly stage: Stage | 'PreAlpha';
  readonly default: boolean;
  readonly locked: boolean;
}

const always: Version = { major: 0, minor: 0, hasPatch: false, text: '0.0' };
const beforeItsTime: Step = { version: always, stage: 'PreAlpha', default: false, locked: false };

/** The spelling of flags, help and metrics. GA has none there. */
export function stageLabel(stage: Step['stage']): string {
  return stage === 'GA' ? '' : stage.toUpperCase();
}

/** The history of a gate whose spec never changes: it is there at every emulated version. */
export function unversioned(spec: GateSpec): readonly Step[] {
  return [{ version: always, stage: spec.stage, default: spec.default, locked: spec.locked ?? false }];
}

/**
 * Checks the history of one gate and completes it: an entry without a minimal
 * compatibility version inherits that of the entry before, so the bound never falls.
 * Throws an Error in the words of upstream's gate library.
 */
export function versioned(name: string, specs: readonly VersionedGateSpec[]): readonly Step[] {
  const steps: Step[] = [];
  for (const spec of specs) {
    const step = readStep(name, spec, steps.at(-1));
    checkSuccession(name, step, spec, steps);
    const inherited = step.minCompatibility ?? steps.at(-1)?.minCompatibility;
    steps.push(inherited ? { ...step, minCompatibility: inherited } : step);
  }
  return steps;
}

/** The entry that applies: the latest one that the effective version has reached. */
export function stepAt(steps: readonly Step[], at: EffectiveVersion): Step {
  const reached = ({ version, minCompatibility }: Step) =>
    compareVersions(version, at.emulation) <= 0 &&
    (minCompatibility === undefined || compareVersions(minCompatibility, at.minCompatibility) <= 0);
  return steps.findLast(reached) ?? beforeItsTime;
}

/** Whether two histories say the same. */
export function sameHistory(a: readonly Step[], b: readonly Step[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** A history as upstream's errors print it. */
export function historyText(steps: readonly Step[]): string {
  const entries = steps.map(
    (step) =>
      `{${step.default} ${step.locked} ${stageLabel(step.stage)} ${step.version.text} ${step.minCompatibility?.text ?? '<nil>'}}`,
  );
  return `[${entries.join(' ')}]`;
}

function readStep(name: string, spec: VersionedGateSpec, last: Step | undefined): Step {
  const gate = `feature ${JSON.stringify(name)}`;
  if (!spec.version) throw new Error(`${gate} did not provide a version`);
  const version = parseVersion(spec.version);
  if (version.hasPatch) throw new Error(`${gate} specified patch version: ${version.text}`);
  const step = { version, stage: spec.stage, default: spec.default, locked: spec.locked ?? false };
  if (spec.minCompatibility === undefined) return step;

  const minCompatibility = parseVersion(spec.minCompatibility);
  if (!last || compareVersions(version, last.version) !== 0) {
    throw new Error(
      `${gate} specified MinCompatibilityVersion: ${minCompatibility.text} without a preceding entry at the same Version without MinCompatibilityVersion set`,
    );
  }
  if (minCompatibility.hasPatch) {
    throw new Error(`${gate} specified patch MinCompatibilityVersion: ${minCompatibility.text}`);
  }
  if (compareVersions(minCompatibility, version) > 0) {
    throw new Error(`${gate} MinCompatibilityVersion ${minCompatibility.text} greater than Version ${version.text}`);
  }
  return { ...step, minCompatibility };
}

function checkSuccession(name: string, step: Step, spec: VersionedGateSpec, before: readonly Step[]): void {
  const gate = `feature ${JSON.stringify(name)}`;
  const last = before.at(-1);
  if (!last) {
    if (step.stage === 'Deprecated' && step.version.minor !== 0) {
      throw new Error(`${gate} introduced as deprecated must provide a 1.0 entry indicating initial state`);
    }
    return;
  }
  checkVersionsGrow(gate, step, last);
  if (step.stage === last.stage && step.default === last.default && step.locked === last.locked) {
    throw new Error(`${gate} lists transition without stability change (${last.version.text} -> ${step.version.text})`);
  }
  const was = (stage: Stage) => before.some((earlier) => earlier.stage === stage);
  if (!step.locked && before.some((earlier) => earlier.locked)) {
    throw new Error(`${gate} must not unlock after locking to default`);
  }
  if (was('Deprecated') && step.stage !== 'Deprecated') {
    throw new Error(`deprecated ${gate} must not resurrect from its terminal state`);
  }
  if ((step.stage === 'Alpha' && (was('Beta') || was('GA'))) || (step.stage === 'Beta' && was('GA'))) {
    const label = stageLabel(step.stage);
    throw new Error(`${gate} regresses stability from more stable level to ${label} in ${spec.version}`);
  }
}

function checkVersionsGrow(gate: string, step: Step, last: Step): void {
  const order = compareVersions(step.version, last.version);
  const versions = `${step.version.text} < ${last.version.text}`;
  if (order < 0) throw new Error(`${gate} lists version transitions in decreasing order (${versions})`);

  const { minCompatibility: now } = step;
  const { minCompatibility: earlier } = last;
  if (now && earlier && compareVersions(now, earlier) < 0) {
    throw new Error(
      `${gate} lists min compatibility version transitions in decreasing order (${now.text} < ${earlier.text})`,
    );
  }
  if (order > 0) return;
  if (now?.text === earlier?.text) {
    throw new Error(
      `${gate} lists duplicate entries with the same versions (${step.version.text} = ${last.version.text})`,
    );
  }
  if (step.stage !== last.stage) {
    const change = `${stageLabel(last.stage)} -> ${stageLabel(step.stage)}`;
    throw new Error(`${gate} lists stability changes with the same version (${change})`);
  }
  if (step.locked !== last.locked) {
    throw new Error(`${gate} lists locked to default changes with the same version (${last.locked} -> ${step.locked})`);
  }
}
