import type { NotAnalysed, UpgradeFinding, UpgradeVerdict } from '@slipway/features';
import { verdictSentence } from '@slipway/features/views';
import { renderTable } from '../../output/table.js';

const maxNamed = 8;

/** A verdict for people: every finding with what to do, then what the answer rests on and what it leaves open. */
export function renderVerdict(verdict: UpgradeVerdict): string {
  const { findings, coverage } = verdict;
  const { processes, gates, features, notAnalysed } = coverage;
  const table = renderTable(findings, [
    { heading: 'CHECK', cell: ({ check }) => check },
    { heading: 'SEVERITY', state: true, cell: ({ severity }) => severity },
    { heading: 'GATE', cell: ({ gate }) => gate ?? '' },
    {
      heading: 'FINDING',
      weight: 9,
      cell: ({ message, gates }) => (gates ? `${message}: ${firstOf(gates)}` : message),
    },
  ]);
  return [
    findings.length > 0 ? `${table}\n` : '',
    `${verdictSentence(verdict)}\n`,
    `Analysed: ${gates} gates and ${features} Features, as ${processes} processes report them.\n`,
    ...notAnalysed.map(renderGap),
    fixes(findings),
  ].join('');
}

function renderGap({ what, why, gates = [] }: NotAnalysed): string {
  return `Not analysed: ${what}${gates.length > 0 ? ` (${firstOf(gates)})` : ''}: ${why}.\n`;
}

function firstOf(gates: readonly string[]): string {
  const more = gates.length - maxNamed;
  return `${gates.slice(0, maxNamed).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function fixes(findings: readonly UpgradeFinding[]): string {
  const all = findings.flatMap(({ check, severity, gate, fix }) =>
    fix && severity !== 'info' ? `To fix: ${check}${gate ? ` ${gate}` : ''}: ${fix}\n` : [],
  );
  return all.length > 0 ? `\n${[...new Set(all)].join('')}` : '';
}
