import { printableJson } from '@slipway/safe-yaml/printable';
import type { Finding } from '../check/finding.js';
import type { Rule } from '../facts/rule.js';
import { allRules } from '../rules/catalogue.js';
import { helpOf } from '../rules/help-texts.js';

/** Code scanning keeps this many results of one upload. */
const maxResults = 5_000;
const levels = { error: 'error', warn: 'warning', info: 'note' } as const;
const order = ['error', 'warn', 'info'];

/** SARIF 2.1.0, for code scanning. Errors come first, because what is beyond 5000 results is not kept. */
export function reportSarif(findings: readonly Finding[]): string {
  const sorted = [...findings].sort((one, other) => order.indexOf(one.severity) - order.indexOf(other.severity));
  const kept = sorted.slice(0, maxResults);
  const left = sorted.length - kept.length;
  const notice = `${left} more results were left out: code scanning keeps ${maxResults}`;
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'slipway kep',
            rules: allRules.map(ruleOf),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: kept.map(resultOf),
        ...(left > 0
          ? {
              invocations: [{ executionSuccessful: true, toolExecutionNotifications: [{ message: { text: notice } }] }],
            }
          : {}),
      },
    ],
  };
  return `${printableJson(JSON.stringify(log, null, 2))}\n`;
}

function ruleOf({ id, slug, summary }: Rule) {
  const help = helpOf(id);
  const text = help ? `${help.why}\n\nTo fix: ${help.fix}` : summary;
  return {
    id,
    name: slug,
    shortDescription: { text: summary },
    fullDescription: { text: help?.why ?? summary },
    help: { text, markdown: text },
  };
}

function resultOf(finding: Finding) {
  const { start, end } = finding.span;
  return {
    ruleId: finding.rule,
    level: levels[finding.severity],
    message: { text: finding.message },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: encodeURI(finding.path) },
          region: { startLine: start.line, startColumn: start.column, endLine: end.line, endColumn: end.column },
        },
      },
    ],
    partialFingerprints: { 'slipway/v1': finding.fingerprint },
    ...(finding.waived === undefined ? {} : { suppressions: [{ kind: 'inSource', justification: finding.waived }] }),
    ...(finding.baselined ? { baselineState: 'unchanged' } : {}),
  };
}
