import { counts, type Finding } from '../check/finding.js';
import type { FileRole } from '../facts/rule.js';
import { type Diagnostic, diagnosticOf } from './diagnostics.js';
import { fileOf, type OpenKep } from './open-kep.js';
import { type TextEdit, type TextRange, textEditOf, touches } from './text-range.js';

/** Something an editor offers to do about a finding. */
export interface CodeAction {
  readonly title: string;
  readonly kind: 'quickfix';
  /** Whether it is right in all cases, so that it may be the first to be offered. */
  readonly isPreferred: boolean;
  readonly diagnostic: Diagnostic;
  readonly file: FileRole;
  readonly edits: readonly TextEdit[];
}

/** Returns the code actions for the findings in a range: their fixes, and a comment that waives a finding. */
export function codeActionsAt(kep: OpenKep, role: FileRole, range: TextRange): CodeAction[] {
  const here = kep.findings.filter(
    (finding) => finding.file === role && counts(finding) && touches(diagnosticOf(finding).range, range),
  );
  return [...here.flatMap((finding) => fixOf(kep, finding)), ...here.flatMap((finding) => suppressionOf(kep, finding))];
}

function fixOf(kep: OpenKep, finding: Finding): CodeAction[] {
  const { fix } = finding;
  const target = fix?.file ?? finding.file;
  const lines = fileOf(kep, target)?.lines;
  if (!fix || !lines) return [];
  return [
    {
      title: `${finding.rule}: ${fix.safety === 'safe' ? 'correct it' : 'correct it, and look whether that is right'}`,
      kind: 'quickfix',
      isPreferred: fix.safety === 'safe',
      diagnostic: diagnosticOf(finding),
      file: target,
      edits: fix.edits.map((edit) => textEditOf(lines, edit)),
    },
  ];
}

function suppressionOf(kep: OpenKep, finding: Finding): CodeAction[] {
  const file = fileOf(kep, finding.file);
  if (finding.file === 'approval' || finding.unsuppressible || !file) return [];
  const at = { line: finding.span.start.line - 1, character: 0 };
  const eol = file.text.includes('\r\n') ? '\r\n' : '\n';
  const comment =
    finding.file === 'yaml'
      ? `# slipway-disable ${finding.rule} why it does not count`
      : `<!-- slipway-disable-next-line ${finding.rule} why it does not count -->`;
  return [
    {
      title: `${finding.rule}: say why it does not count here`,
      kind: 'quickfix',
      isPreferred: false,
      diagnostic: diagnosticOf(finding),
      file: finding.file,
      edits: [{ range: { start: at, end: at }, newText: comment + eol }],
    },
  ];
}
