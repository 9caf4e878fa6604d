import { metricFamily, metricNames } from '../facts/identifiers.js';
import { labelledFields } from '../facts/labelled-fields.js';
import { defineRule } from '../facts/rule.js';
import { addToField } from '../metadata/edit.js';
import { reaches } from '../metadata/stage.js';

/** Dashboards are built from the list. */
export const metricOnlyInText = defineRule({
  id: 'KEP705',
  slug: 'metric-only-in-text',
  summary: '`kep.yaml` lists the metrics of the README',
  of: 'kep',
  severity: { draft: 'off', gated: 'warn' },
  check({ document, yaml, stage }, report) {
    if (!document || !yaml?.root || !reaches(stage, 'beta')) return;
    const listed = new Set(yaml.many('metrics').map(({ value }) => metricFamily(value)));
    for (const field of labelledFields(document, ['metric name'])) {
      const missing = field.checked ? metricNames(field.value).filter((name) => !listed.has(metricFamily(name))) : [];
      if (missing.length > 0)
        report({
          file: 'readme',
          span: field,
          message: `kep.yaml does not list ${missing.join(', ')}`,
          fix: { safety: 'unsafe', file: 'yaml', edits: [addToField(yaml, 'metrics', missing)] },
        });
    }
  },
});
