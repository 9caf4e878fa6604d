import { type CanaryRule, covers } from '@slipway/feature-gates';
import type { RollCall, SilentProcess } from '../uses/roll-call.js';

/** Names of the nodes or pods of a component that have the labels a rule wants. */
export type Labelled = (component: string, rule: CanaryRule) => ReadonlySet<string>;

/** How far a step of a canary has come. */
export interface Reach {
  /** Processes that the rules cover. */
  readonly covered: number;
  /** Those of them that report the value. */
  readonly running: number;
  /** Some of the others, at most five. */
  readonly missing: readonly string[];
}

const mostNamed = 5;

/**
 * Looks for the processes of required components that rules cover, by the same hash
 * that they use themselves. A silent one may know its node or not, so it counts as
 * covered if either of its names is: it holds a step up rather than being passed over.
 */
export function reachOf(
  rollCalls: readonly RollCall[],
  {
    gate,
    value,
    rules,
    labelled,
  }: {
    readonly gate: string;
    readonly value: boolean;
    readonly rules: readonly CanaryRule[];
    readonly labelled: Labelled;
  },
): Reach {
  let running = 0;
  const missing: string[] = [];
  for (const { component, required, answers, silent } of rollCalls) {
    if (!required) continue;
    const isCovered = (instance: string, node: string | undefined) =>
      rules.some((rule) =>
        rule.percent === undefined
          ? [instance, node].some((name) => name !== undefined && labelled(component, rule).has(name))
          : covers(rule, gate, { instance, node }),
      );
    for (const { gates, processes } of answers) {
      const told = gates.get(gate);
      const agrees = told?.enabled === value && !told.mixed;
      for (const { name, instance, node } of processes) {
        if (!isCovered(instance, node)) continue;
        if (agrees) running++;
        else missing.push(name);
      }
    }
    for (const process of silent) {
      if (namesOf(component, process).some((name) => isCovered(name, undefined))) missing.push(process.process);
    }
  }
  return { covered: running + missing.length, running, missing: missing.slice(0, mostNamed) };
}

/** Its node, what it is expected as, and its instance if it is known by its report. */
function namesOf(component: string, { process, node }: SilentProcess): readonly string[] {
  const prefix = `${component}.`;
  const instance = process.startsWith(prefix) ? [process.slice(prefix.length)] : [];
  return [process, ...instance, ...(node === undefined ? [] : [node])];
}
