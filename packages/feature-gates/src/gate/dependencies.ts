import { type Step, stageLabel, stepAt } from './specs.js';
import { type EffectiveVersion, minorBefore } from './version.js';

/** Which gates a gate needs: dependent -> its dependencies, each list sorted. */
export type Dependencies = ReadonlyMap<string, readonly string[]>;

/**
 * Adds `more` to `existing` and checks the whole: known gates only, no gate needs
 * one that is less mature, off by default while it is on, or free while it is
 * locked, at any version of its history; no circles. Throws an Error in the words
 * of upstream's gate library; nothing is changed then.
 */
export function addDependencies(
  existing: Dependencies,
  more: Readonly<Record<string, readonly string[]>>,
  known: ReadonlyMap<string, readonly Step[]>,
): Dependencies {
  const merged = new Map(existing);
  for (const [dependent, wanted] of Object.entries(more)) {
    merged.set(dependent, [...new Set([...(existing.get(dependent) ?? []), ...wanted])].sort());
  }
  for (const [dependent, wanted] of merged) {
    const steps = known.get(dependent);
    if (!steps) throw new Error(`cannot add dependency for unknown feature ${dependent}`);
    for (const dependency of wanted) {
      const other = known.get(dependency);
      if (!other) throw new Error(`cannot add dependency from ${dependent} to unknown feature ${dependency}`);
      checkEveryVersion(dependent, steps, dependency, other);
    }
  }
  for (const dependent of merged.keys()) refuseCircles(dependent, merged, []);
  return merged;
}

/** Gates that are on although a gate they need is off, as error texts. */
export function unmetDependencies(dependencies: Dependencies, isOn: (gate: string) => boolean): string[] {
  const errors: string[] = [];
  for (const [dependent, wanted] of dependencies) {
    if (!isOn(dependent)) continue;
    const off = wanted.filter((gate) => !isOn(gate));
    if (off.length > 0) {
      errors.push(`${dependent} is enabled, but depends on features that are disabled: [${off.join(' ')}]`);
    }
  }
  return errors;
}

/** Alpha gates may need gates that are not there yet; nothing may need a deprecated one except another such. */
const maturity = { Deprecated: 0, PreAlpha: 1, Alpha: 1, Beta: 2, GA: 3 };

function checkEveryVersion(
  dependent: string,
  steps: readonly Step[],
  dependency: string,
  other: readonly Step[],
): void {
  // Newest first: the first complaint is then about the version people are working on.
  for (const step of steps.toReversed()) {
    const at: EffectiveVersion = {
      emulation: step.version,
      minCompatibility: step.minCompatibility ?? minorBefore(step.version),
    };
    const needed = stepAt(other, at);
    const when = `at version ${step.version.text}`;
    if (maturity[step.stage] > maturity[needed.stage]) {
      const from = `${stageLabel(step.stage)} feature ${dependent}`;
      throw new Error(`${from} cannot depend on ${stageLabel(needed.stage)} feature ${dependency} ${when}`);
    }
    if (step.default && !needed.default) {
      throw new Error(
        `default-enabled feature ${dependent} cannot depend on default-disabled feature ${dependency} ${when}`,
      );
    }
    if (step.locked && !needed.locked) {
      throw new Error(`locked-to-default feature ${dependent} cannot depend on unlocked feature ${dependency} ${when}`);
    }
  }
}

function refuseCircles(gate: string, dependencies: Dependencies, path: readonly string[]): void {
  if (path.includes(gate)) throw new Error(`cycle detected with feature ${gate}`);
  for (const dependency of dependencies.get(gate) ?? []) refuseCircles(dependency, dependencies, [...path, gate]);
}
