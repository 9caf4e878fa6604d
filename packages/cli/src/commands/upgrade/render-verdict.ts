import type { NotAnalysed, UpgradeFinding, UpgradeVerdict } from '@slipway/features';
import { renderTable } from '../../output/table.js';

const maxNamed = 8;

/** A verdict for people: every finding with what to do, then what the answer rests on and what it leaves open. */
export function renderVerdict({ from, to, path, verdict, findings, coverage }: UpgradeVerdict): string {
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
  const way =
    path.length > 1
      ? ` (by way of ${path
          .slice(0, -1)
          .map((version) => `v${version}`)
          .join(', ')})`
      : '';
  return [
    findings.length > 0 ? `${table}\n` : '',
    `v${from} to v${to}${way}: ${sentences[verdict]}\n`,
    `Analysed: ${gates} gates and ${features} Features, as ${processes} processes report them.\n`,
    ...notAnalysed.map(renderGap),
    fixes(findings),
  ].join('');
}

const sentences: Readonly<Record<UpgradeVerdict['verdict'], string>> = {
  NothingFound: 'nothing found in what was analysed.',
  Warnings: 'no blocker in what was analysed; look at the warnings first.',
  Unknown: 'cannot be told, since something is not known.',
  Blocked: 'do not, before the blockers are removed.',
};

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
