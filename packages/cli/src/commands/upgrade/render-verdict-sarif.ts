import { type Severity, type UpgradeFinding, type UpgradeVerdict, upgradeChecks } from '@slipway/features';
import { type Content, jsonContent } from '../../output/content.js';

/** What is not known weighs as much as an error: an upgrade must not pass on it. */
const levels: Readonly<Record<Severity, string>> = {
  blocker: 'error',
  unknown: 'error',
  warning: 'warning',
  info: 'note',
};

/** SARIF 2.1.0. A cluster has no files, so findings name a component and a gate as logical locations. */
export function renderVerdictSarif({ from, to, verdict, findings, coverage }: UpgradeVerdict): Content {
  const rules = upgradeChecks.map(({ id, summary }) => ({ id, shortDescription: { text: summary } }));
  const left = coverage.notAnalysed.map(({ what, why, gates = [] }) => ({
    level: 'note',
    message: { text: `not analysed: ${[what, ...gates].join(' ')}: ${why}` },
  }));
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'slipway upgrade', rules } },
        results: findings.map(resultOf),
        invocations: [{ executionSuccessful: true, toolExecutionNotifications: left }],
        properties: { from, to, verdict },
      },
    ],
  };
  return jsonContent(log);
}

function resultOf({ check, severity, gate, gates = [], component, message, fix }: UpgradeFinding) {
  const name = [component, gate].filter((part) => part !== undefined).join('/');
  return {
    ruleId: check,
    level: levels[severity],
    message: { text: `${gate ? `${gate}: ` : ''}${[message, ...gates].join(' ')}${fix ? `. To fix: ${fix}` : ''}` },
    ...(name && { locations: [{ logicalLocations: [{ fullyQualifiedName: name }] }] }),
    properties: { severity },
  };
}
