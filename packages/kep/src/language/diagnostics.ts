import { counts, type Finding } from '../check/finding.js';
import type { FileRole } from '../facts/rule.js';
import type { OpenKep } from './open-kep.js';
import type { TextRange } from './text-range.js';

/** A finding as editors show it. Severities are those of the Language Server Protocol: 1 error, 2 warning, 3 hint. */
export interface Diagnostic {
  readonly range: TextRange;
  readonly severity: 1 | 2 | 3;
  readonly code: string;
  readonly source: string;
  readonly message: string;
}

const severities = { error: 1, warn: 2, info: 3 } as const;

/** Returns the findings of one file of a proposal as diagnostics for an editor. */
export function diagnosticsOf({ findings }: OpenKep, role: FileRole): Diagnostic[] {
  return findings.filter((finding) => finding.file === role && counts(finding)).map(diagnosticOf);
}

export function diagnosticOf({ span, severity, rule, message }: Finding): Diagnostic {
  const place = ({ line, column }: { line: number; column: number }) => ({ line: line - 1, character: column - 1 });
  const range = { start: place(span.start), end: place(span.end) };
  return { range, severity: severities[severity], code: rule, source: 'slipway kep', message };
}
