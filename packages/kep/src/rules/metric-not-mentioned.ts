import type { Span } from '../document/lines.js';
import { nearest } from '../document/nearest.js';
import { metricFamily, metricNames, saysNothing, underscoredWords } from '../facts/identifiers.js';
import { defineRule, type Fix } from '../facts/rule.js';
import type { KepYaml } from '../metadata/kep-yaml.js';
import { reaches } from '../metadata/stage.js';

/** A number needs an explanation. */
export const metricNotMentioned = defineRule({
  id: 'KEP706',
  slug: 'metric-not-mentioned',
  summary: 'The README mentions the metrics of `kep.yaml`',
  of: 'kep',
  severity: { draft: 'off', gated: 'warn' },
  check({ document, yaml, stage }, report) {
    if (!document || !yaml || !reaches(stage, 'beta')) return;
    let mentioned: ReadonlySet<string> | undefined;
    const metrics = yaml.many('metrics');
    const text = metrics.length > few ? wordsOf(document.text) : document.text;
    for (const metric of metrics) {
      const family = saysNothing(metric.value) ? undefined : metricFamily(metric.value);
      if (!family?.includes('_') || text.includes(family)) continue;
      mentioned ??= new Set(metricNames(document.text));
      const near = nearest(family, mentioned);
      report({
        file: 'yaml',
        span: metric,
        message: `the README never mentions ${family}${near ? `; it mentions ${near}` : ''}`,
        fix: near ? respelt(yaml, metric, family, near) : undefined,
      });
    }
  },
});

/** For more metrics than this it pays to look through the words that can name one instead of through the text. */
const few = 4;

function wordsOf(text: string): string {
  return underscoredWords(text)
    .map(({ start, end }) => text.slice(start, end))
    .join(' ');
}

function respelt({ text }: KepYaml, { start, end }: Span, from: string, to: string): Fix | undefined {
  const at = text.indexOf(from, start);
  return at < 0 || at >= end
    ? undefined
    : { safety: 'unsafe', edits: [{ start: at, end: at + from.length, text: to }] };
}
