import { printableJson } from '@slipway/safe-yaml/printable';
import type { CheckResult } from './report.js';
import { tally } from './summary.js';

/** For programs; `version` changes when a field changes its meaning. */
export function reportJson({ findings, checked, template }: CheckResult): string {
  const results = findings.map(({ fix, waived, section, unsuppressible: _, ...finding }) => ({
    ...finding,
    section: section ?? null,
    fix: fix ? { safety: fix.safety, edits: fix.edits.length } : null,
    waived: waived ?? null,
  }));
  const stats = { keps: checked, ...tally(findings) };
  return `${printableJson(JSON.stringify({ version: 1, tool: 'slipway kep', template, results, stats }, null, 2))}\n`;
}
