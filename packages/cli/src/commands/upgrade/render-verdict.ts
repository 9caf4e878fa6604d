import type { UpgradeFinding, UpgradeVerdict } from '@slipway/features';
import { coverageInWords, firstGates, verdictSentence } from '@slipway/features/views';
import { renderTable } from '../../output/table.js';

/** A verdict for people: every finding with what to do, then what the answer rests on and what it leaves open. */
export function renderVerdict(verdict: UpgradeVerdict): string {
  const { findings } = verdict;
  const table = renderTable(findings, [
    { heading: 'CHECK', cell: ({ check }) => check },
    { heading: 'SEVERITY', state: true, cell: ({ severity }) => severity },
    { heading: 'GATE', cell: ({ gate }) => gate ?? '' },
    {
      heading: 'FINDING',
      weight: 9,
      cell: ({ message, gates }) => (gates ? `${message}: ${firstGates(gates)}` : message),
    },
  ]);
  return [
    findings.length > 0 ? `${table}\n` : '',
    `${verdictSentence(verdict)}\n`,
    ...coverageInWords(verdict).map((line) => `${line}\n`),
    fixes(findings),
  ].join('');
}

function fixes(findings: readonly UpgradeFinding[]): string {
  const all = findings.flatMap(({ check, severity, gate, fix }) =>
    fix && severity !== 'info' ? `To fix: ${check}${gate ? ` ${gate}` : ''}: ${fix}\n` : [],
  );
  return all.length > 0 ? `\n${[...new Set(all)].join('')}` : '';
}
