import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toYaml } from '@slipway/safe-yaml';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { needs } from '../real-parts.js';
import { ruleGroups } from '../release/monitoring/rules.js';
import { featureSituations, healthyFeatures } from './feature-situations.js';
import { healthyNodes, nodeSituations } from './node-situations.js';
import { healthyPulls, pullSituations } from './pull-situations.js';
import { inputSeries, type Pages, type Situation } from './situation.js';

// Prometheus evaluates the rules, over pages that our controllers print while something happens to them.

const alerts = ruleGroups.flatMap(({ rules }) => rules).flatMap((rule) => ('alert' in rule ? [rule] : []));
const situations = { ...nodeSituations, ...featureSituations, ...pullSituations };
const minutes = 60;

let folder: string;
let healthy: Readonly<Record<string, Pages>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-alerts-'));
  writeFileSync(join(folder, 'rules.yaml'), toYaml({ groups: ruleGroups }));
  const pages = { features: healthyFeatures(), nodes: await healthyNodes(), pulls: healthyPulls() };
  healthy = Object.fromEntries(Object.entries(pages).map(([name, page]) => [name, [[0, page]]]));
});
afterAll(() => rmSync(folder, { recursive: true }));

beforeEach((context) => needs(context, 'promtool'));

test('each alert has a situation that it reports', () => {
  expect(Object.keys(situations).sort()).toEqual(alerts.map(({ alert }) => alert).sort());
});

test('nothing is reported while all processes are healthy', () => {
  expectAlerts(
    healthy,
    alerts.flatMap(({ alert }) => [check(alert, 0), check(alert, minutes)]),
  );
});

test.each(Object.entries(situations))(
  '%s is reported in its situation, and no other alert is',
  async (alert, happen) => {
    const situation = await happen();
    const minute = situation.quietUntil + 2;
    const others = alerts.filter((other) => other.alert !== alert);
    expectAlerts({ ...healthy, ...situation.pages }, [
      check(alert, situation.quietUntil),
      check(alert, minute, situation),
      ...others.map((other) => check(other.alert, minute)),
    ]);
  },
);

/** Expects that an alert is reported as a situation has it, or that it is not. */
function check(alertname: string, minute: number, situation?: Situation) {
  const rule = alerts.find(({ alert }) => alert === alertname);
  const annotations = Object.entries(rule?.annotations ?? {}).map(([name, text]) => [
    name,
    withLabels(text, situation?.labels),
  ]);
  const fired = {
    exp_labels: { ...rule?.labels, ...situation?.labels },
    exp_annotations: Object.fromEntries(annotations),
  };
  return { eval_time: `${minute}m`, alertname, exp_alerts: situation ? [fired] : [] };
}

function withLabels(text: string, labels: Situation['labels'] = {}): string {
  return text.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, name: string) => labels[name] ?? '');
}

function expectAlerts(processes: Readonly<Record<string, Pages>>, checks: readonly object[]): void {
  const path = join(folder, 'test.yaml');
  const series = inputSeries(processes, minutes);
  const tests = [{ interval: '1m', input_series: series, alert_rule_test: checks }];
  writeFileSync(path, toYaml({ rule_files: ['rules.yaml'], evaluation_interval: '1m', tests }));
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', path], { encoding: 'utf8' });
  expect(status, stdout + stderr).toBe(0);
}
