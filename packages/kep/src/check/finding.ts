import type { Place } from '../document/lines.js';
import type { FileRole, Fix } from '../facts/rule.js';
import type { Severity } from '../kinds/severity.js';

/** What a rule found in a proposal, ready to be shown. */
export interface Finding {
  readonly rule: string;
  readonly slug: string;
  readonly severity: Severity;
  /** Directory of the proposal, or its file when it is a single one. */
  readonly kep: string;
  readonly path: string;
  readonly file: FileRole;
  readonly span: { readonly start: Place; readonly end: Place };
  readonly message: string;
  /** Key of the section, or nothing for metadata. */
  readonly section: string | undefined;
  readonly fix: Fix | undefined;
  /** No comment can hide it. */
  readonly unsuppressible: boolean;
  /** Known before the rule was adopted; does not count. */
  readonly baselined: boolean;
  /** Hidden by a comment that gives a reason. */
  readonly waived: string | undefined;
  /** The same finding has the same fingerprint wherever its lines move. */
  readonly fingerprint: string;
}

/** Whether a finding counts against the proposal. */
export function counts({ baselined, waived }: Finding): boolean {
  return !baselined && waived === undefined;
}
