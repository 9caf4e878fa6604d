import { type Candidate, startedAtMs } from './select-victims.js';

/**
 * The node on which preemption does the least harm: fewest violated disruption budgets, then the lowest highest
 * priority of a victim, the lowest sum of priorities, the fewest victims, and the most recent start of the
 * most important ones. The first in order of nodes when all that is equal.
 */
export function leastHarmful(candidates: readonly Candidate[]): Candidate | undefined {
  return candidates.reduce<Candidate | undefined>(
    (best, candidate) => (best && compare(harm(best), harm(candidate)) <= 0 ? best : candidate),
    undefined,
  );
}

/** Added to each priority, so that more victims are never better because theirs are negative. */
const aboveAllNegatives = 2 ** 31;

function harm({ victims, violations }: Candidate): readonly number[] {
  const highest = victims[0]?.priority ?? 0;
  const foremost = victims.filter(({ priority }) => priority === highest);
  return [
    violations,
    highest,
    victims.reduce((sum, { priority }) => sum + priority + aboveAllNegatives, 0),
    victims.length,
    -Math.min(...foremost.map(startedAtMs)),
  ];
}

function compare(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((value, at) => value !== b[at]);
  return index < 0 ? 0 : (a[index] ?? 0) - (b[index] ?? 0);
}
