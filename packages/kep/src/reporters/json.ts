import { printableJson } from '@slipway/safe-yaml/printable';
import { findingsJson } from '../check/kept-findings.js';
import type { CheckResult } from './check-result.js';
import { tallyOf } from './summary.js';

/**
 * For programs; `version` changes when a field changes its meaning. In parts: the findings of one proposal are mostly ASCII, of which
 * everything takes half the time and memory, and those of an earlier run are bytes already.
 */
export function* reportJson({ results, checked, template }: CheckResult): Generator<string | Uint8Array> {
  const head = printableJson(JSON.stringify({ version: 1, tool: 'slipway kep', template }, null, 2)).slice(0, -2);
  yield `${head},\n  "results": [`;
  let isEmpty = true;
  for (const result of results) {
    const rows = result.kept?.json ?? findingsJson(result.findings);
    if (rows.length === 0) continue;
    yield isEmpty ? '\n' : ',\n';
    yield rows;
    isEmpty = false;
  }
  const stats = JSON.stringify({ stats: { keps: checked, ...tallyOf(results) } }, null, 2).slice(2);
  yield `${isEmpty ? '' : '\n  '}],\n${stats}\n`;
}
