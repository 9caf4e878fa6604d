import type { UpgradeView } from './upgrade-view.js';

/** `blocker`: do not. `unknown`: cannot be determined. `warning`: look before. `info`: good to know. */
export type Severity = 'blocker' | 'unknown' | 'warning' | 'info';

export interface UpgradeFinding {
  /** `U001`; its page is `docs/reference/upgrade/U001.md`. */
  readonly check: string;
  readonly severity: Severity;
  readonly gate?: string;
  readonly component?: string;
  readonly message: string;
  /** What the message is about, where that is many gates at once. */
  readonly gates?: readonly string[];
  /** What to do, mostly a command to copy. */
  readonly fix?: string;
}

/** A finding as a check reports it; the check's own severity unless it says another. */
export type Reported = Omit<UpgradeFinding, 'check' | 'severity'> & { readonly severity?: Severity };

/** One reason why moving to another version may go wrong. It only reports; deciding is for `checkUpgrade`. */
export interface UpgradeCheck {
  readonly id: string;
  readonly severity: Severity;
  readonly summary: string;
  check(view: UpgradeView, report: (finding: Reported) => void): void;
}
