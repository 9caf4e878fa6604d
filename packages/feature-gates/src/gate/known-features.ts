import { type Step, sameHistory, stageLabel, stepAt } from './specs.js';
import type { EffectiveVersion } from './version.js';

/**
 * The help lines of `--feature-gates`, sorted. Only Alpha and Beta gates are worth
 * offering; where raising the minimal compatibility version would change a gate, its line says both.
 */
export function knownFeatures(known: ReadonlyMap<string, readonly Step[]>, at: EffectiveVersion): string[] {
  const newest: EffectiveVersion = { ...at, minCompatibility: at.emulation };
  const lines: string[] = [];
  for (const [gate, steps] of known) {
    const now = stepAt(steps, at);
    const raised = stepAt(steps, newest);
    const offers = [help(gate, now)];
    if (!sameHistory([now], [raised])) offers.push(helpWhenRaised(gate, raised));
    const line = offers.filter((offer) => offer !== '').join(', or ');
    if (line !== '') lines.push(line);
  }
  return lines.sort();
}

function help(gate: string, step: Step): string {
  if (step.stage !== 'Alpha' && step.stage !== 'Beta') return '';
  return `${gate}=true|false (${stageLabel(step.stage)} - default=${step.default})`;
}

function helpWhenRaised(gate: string, step: Step): string {
  const text = help(gate, step);
  const bound = step.minCompatibility;
  return text !== '' && bound ? `${text} if --min-compatibility-version>=${bound.text}` : text;
}
