import type { UpgradeVerdict } from '../upgrade/checks/check-upgrade.js';
import type { NotAnalysed } from '../upgrade/coverage.js';

const maxNamed = 8;

/** Names the first gates, and counts the others. */
export function firstGates(gates: readonly string[]): string {
  const more = gates.length - maxNamed;
  return `${gates.slice(0, maxNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Says what a verdict rests on, then what it leaves open, a sentence each. */
export function coverageInWords({ coverage }: Pick<UpgradeVerdict, 'coverage'>): readonly string[] {
  const { processes, gates, features, notAnalysed } = coverage;
  return [
    `Analysed: ${gates} gates and ${features} Features, as ${processes} processes report them.`,
    ...notAnalysed.map(gapInWords),
  ];
}

function gapInWords({ what, why, gates = [] }: NotAnalysed): string {
  return `Not analysed: ${what}${gates.length > 0 ? ` (${firstGates(gates)})` : ''}: ${why}.`;
}
