import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { balloonContainer } from '@slipway/balloons';
import { expect, test } from 'vitest';
import { printedSeries } from '../../printed-series.js';
import { dashboard, panels } from './dashboard.js';
import { ruleGroups } from './rules.js';

const runbooks = fileURLToPath(new URL('../../../docs/operations/alerts/', import.meta.url));

/** Labels that Prometheus itself or kube-state-metrics adds. */
const foreignLabels = ['instance', '__name__', 'container'];
const foreignMetrics = ['kube_pod_container_resource_requests', 'kube_node_status_allocatable'];
const rules = ruleGroups.flatMap(({ rules }) => rules);
const records = rules.flatMap((rule) => ('record' in rule ? [rule.record] : []));

const series = printedSeries();
const allLabels = new Set([...[...series.values()].flatMap((labels) => [...labels]), ...foreignLabels]);

const expressions: [string, string][] = [
  ...rules.map((rule): [string, string] => ['record' in rule ? rule.record : rule.alert, rule.expr]),
  ...panels.map(({ title, expr }): [string, string] => [title, expr]),
];

test.each(expressions)('%s asks for series and labels that the processes print', (_, expr) => {
  for (const [open, close] of ['()', '{}', '[]']) {
    expect(expr.split(open ?? '').length).toBe(expr.split(close ?? '').length);
  }
  for (const [used] of expr.matchAll(/slipway:\w+/g)) expect(records).toContain(used);
  for (const [used] of expr.replaceAll(/"[^"]*"/g, '""').matchAll(/\b(slipway_\w+|kube_\w+)/g)) {
    expect([...series.keys(), ...foreignMetrics]).toContain(used);
  }
  for (const [, pattern = ''] of expr.matchAll(/__name__=~"([^"]+)"/g)) {
    const [, prefix, names = ''] = /^(\w+)\((.*)\)$/.exec(pattern) ?? [];
    for (const name of names.split('|')) expect([...series.keys()]).toContain(prefix + name);
  }
  for (const [, metric = '', selectors = ''] of expr.matchAll(/(slipway_\w+)\{([^}]*)\}/g)) {
    for (const [, label = ''] of selectors.matchAll(/(\w+)(?:=|!)/g))
      expect([...(series.get(metric) ?? [])]).toContain(label);
  }
  for (const [, labels = ''] of expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)) {
    for (const label of labels.split(', ')) expect([...allLabels]).toContain(label);
  }
  for (const [, container] of expr.matchAll(/container!?="([^"]+)"/g)) expect(container).toBe(balloonContainer);
});

test('texts of alerts and legends name labels that their expressions keep', () => {
  const texts = [
    ...rules.flatMap((rule) => ('alert' in rule ? [[rule.annotations.summary, rule.expr] as const] : [])),
    ...panels.map(({ legend, expr }) => [legend, expr] as const),
  ];
  for (const [text, expr] of texts) {
    const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(', '));
    const printed = [...expr.matchAll(/slipway_\w+/g)].flatMap(([name]) => [...(series.get(name) ?? [])]);
    const kept = grouped.length > 0 ? grouped : printed;
    for (const [, label = ''] of text.matchAll(/\{\{ ?(?:\$labels\.)?(\w+) ?\}\}/g)) expect(kept).toContain(label);
  }
});

test('each alert has a runbook of its name, and no runbook is without an alert', () => {
  const alerts = rules.flatMap((rule) => ('alert' in rule ? [rule] : []));
  const pages = readdirSync(runbooks).map((file) => file.replace(/\.md$/, ''));
  expect(pages.sort()).toEqual(alerts.map(({ alert }) => alert).sort());
  for (const { alert, annotations } of alerts) {
    expect(annotations.runbook_url).toMatch(new RegExp(`/docs/operations/alerts/${alert}\\.md$`));
    const text = readFileSync(join(runbooks, `${alert}.md`), 'utf8');
    expect(text).toMatch(new RegExp(`^# ${alert}\n\n\\S[^]+\n\n## What to do\n\n1\\. `));
  }
});

test('names of rules and panels are unique, and panels do not overlap', () => {
  const names = expressions.map(([name]) => name);
  expect(new Set(names).size).toBe(names.length);
  const cells = dashboard().panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});
