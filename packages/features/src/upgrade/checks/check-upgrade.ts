import { minorsBetween } from '../../releases/minor-versions.js';
import { type Coverage, coverageOf } from '../coverage.js';
import type { Severity, UpgradeFinding } from '../upgrade-check.js';
import type { UpgradeView } from '../upgrade-view.js';
import { upgradeChecks } from './all-checks.js';

/** What can be said about moving to another version. There is no "safe": only nothing found in what was analysed. */
export interface UpgradeVerdict {
  readonly from: string;
  readonly to: string;
  /** Every minor version on the way, the target last. */
  readonly path: readonly string[];
  readonly verdict: 'NothingFound' | 'Warnings' | 'Unknown' | 'Blocked';
  /** The worst first. */
  readonly findings: readonly UpgradeFinding[];
  readonly coverage: Coverage;
}

const worstFirst: readonly Severity[] = ['blocker', 'unknown', 'warning', 'info'];

/** Runs every check. A blocker outweighs what is not known, which outweighs warnings. */
export function checkUpgrade(view: UpgradeView): UpgradeVerdict {
  const findings = upgradeChecks
    .flatMap((check) => {
      const found: UpgradeFinding[] = [];
      check.check(view, (finding) => found.push({ check: check.id, severity: check.severity, ...finding }));
      return found;
    })
    .sort((one, other) => worstFirst.indexOf(one.severity) - worstFirst.indexOf(other.severity));
  const worst = findings[0]?.severity ?? 'info';
  const verdict = ({ blocker: 'Blocked', unknown: 'Unknown', warning: 'Warnings', info: 'NothingFound' } as const)[
    worst
  ];
  const { from, to } = view;
  return { from, to, path: minorsBetween(from, to), verdict, findings, coverage: coverageOf(view) };
}
