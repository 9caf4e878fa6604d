import { printableJson } from '@slipway/safe-yaml/printable';
import type { CheckResult } from './check-result.js';
import { tally } from './summary.js';

/** For programs; `version` changes when a field changes its meaning. */
export function reportJson({ findings, checked, template }: CheckResult): string {
  // Field by field: spreading thousands of findings takes longer than writing them.
  const results = findings.map((finding) => ({
    rule: finding.rule,
    slug: finding.slug,
    severity: finding.severity,
    kep: finding.kep,
    path: finding.path,
    file: finding.file,
    span: finding.span,
    message: finding.message,
    baselined: finding.baselined,
    fingerprint: finding.fingerprint,
    section: finding.section ?? null,
    fix: finding.fix ? { safety: finding.fix.safety, edits: finding.fix.edits.length } : null,
    waived: finding.waived ?? null,
  }));
  const stats = { keps: checked, ...tally(findings) };
  return `${printableJson(JSON.stringify({ version: 1, tool: 'slipway kep', template, results, stats }, null, 2))}\n`;
}
