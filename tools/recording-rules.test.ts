import { readFileSync } from 'node:fs';
import { balloonContainer } from '@slipway/balloons';
import { parseYaml } from '@slipway/safe-yaml';
import { expect, test } from 'vitest';

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
}

const file = new URL('../deploy/balloons/recording-rules.yaml', import.meta.url);
const metrics = ['balloon-metrics.ts', 'node-gauges.ts'];
const { groups } = parseYaml(readFileSync(file, 'utf8')) as { groups: { name: string; rules: Rule[] }[] };
const rules = groups.flatMap(({ rules }) => rules);
const metricsSource = metrics
  .map((name) => readFileSync(new URL(`../packages/balloons/src/metrics/${name}`, import.meta.url), 'utf8'))
  .join('');

test.each(rules.map((rule) => [rule.record ?? rule.alert ?? '', rule.expr]))('rule %s can be evaluated', (_, expr) => {
  for (const [open, close] of ['()', '{}', '[]']) {
    expect(expr.split(open ?? '').length).toBe(expr.split(close ?? '').length);
  }
  for (const [used] of expr.matchAll(/slipway:\w+/g)) expect(rules.map(({ record }) => record)).toContain(used);
  for (const [used] of expr.matchAll(/slipway_\w+/g)) expect(metricsSource).toContain(`'${used}'`);
  for (const [, container] of expr.matchAll(/container!?="([^"]+)"/g)) expect(container).toBe(balloonContainer);
});

test('each rule either records or alerts, and no name is given twice', () => {
  for (const { record, alert } of rules) expect([record, alert].filter((name) => name !== undefined)).toHaveLength(1);
  const names = rules.map(({ record, alert }) => record ?? alert);
  expect(new Set(names).size).toBe(names.length);
});
