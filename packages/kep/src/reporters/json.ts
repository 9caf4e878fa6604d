import { printableJson } from '@slipway/safe-yaml/printable';
import type { Finding } from '../check/finding.js';
import type { CheckResult } from './check-result.js';
import { tally } from './summary.js';

/**
 * For programs; `version` changes when a field changes its meaning. In parts: the findings of one proposal are mostly ASCII, of which
 * everything takes half the time and memory.
 */
export function* reportJson({ findings, checked, template }: CheckResult): Generator<string> {
  const head = printableJson(JSON.stringify({ version: 1, tool: 'slipway kep', template }, null, 2)).slice(0, -2);
  yield `${head},\n  "results": [`;
  for (let from = 0; from < findings.length; ) {
    const kep = findings[from]?.kep;
    let end = from + 1;
    while (end < findings.length && findings[end]?.kep === kep) end++;
    const results = JSON.stringify({ results: findings.slice(from, end).map(row) }, null, 2);
    yield from === 0 ? '\n' : ',\n';
    yield printableJson(results.slice(results.indexOf('[') + 2, results.lastIndexOf('\n  ]')));
    from = end;
  }
  const stats = JSON.stringify({ stats: { keps: checked, ...tally(findings) } }, null, 2).slice(2);
  yield `${findings.length === 0 ? '' : '\n  '}],\n${stats}\n`;
}

/** Field by field: spreading thousands of findings takes longer than writing them. */
function row(finding: Finding): object {
  return {
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
  };
}
