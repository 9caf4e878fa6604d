import { componentNames, saysNothing } from '../facts/identifiers.js';
import { labelledFields } from '../facts/labelled-fields.js';
import { defineRule, type Fix } from '../facts/rule.js';
import { addToList } from '../metadata/edit.js';
import type { KepYaml } from '../metadata/kep-yaml.js';

/** Each of them has to be restarted with the gate. */
export const componentsMismatch = defineRule({
  id: 'KEP704',
  slug: 'components-mismatch',
  summary: 'README and `kep.yaml` name the same components',
  of: 'kep',
  severity: { draft: 'off', gated: 'warn' },
  check({ document, yaml, repository }, report) {
    if (!document || !yaml) return;
    const listed = new Set(yaml.gates.flatMap(({ components }) => components.map(({ value }) => value)));
    if (listed.size === 0) return;
    const fields = labelledFields(document, ['components depending on the feature gate']).filter(
      ({ checked, value }) => checked && !saysNothing(value),
    );
    const named = new Set(fields.flatMap(({ value }) => componentNames(value, repository.components)));
    const [field] = fields;
    if (!field || named.size === 0) return;
    const onlyText = [...named].filter((name) => !listed.has(name));
    const onlyYaml = [...listed].filter((name) => repository.components.has(name) && !named.has(name));
    if (onlyText.length > 0)
      report({
        file: 'readme',
        span: field,
        message: `kep.yaml does not list ${onlyText.join(', ')}`,
        fix: listedIn(yaml, onlyText),
      });
    if (onlyYaml.length > 0)
      report({
        file: 'readme',
        span: field,
        message: `the README does not name ${onlyYaml.join(', ')}, kep.yaml does`,
        fix: field.value.includes('\n')
          ? undefined
          : { safety: 'unsafe', edits: [{ start: field.end, end: field.end, text: `, ${onlyYaml.join(', ')}` }] },
      });
  },
});

/** With one gate it is clear whose components they are. */
function listedIn(yaml: KepYaml, names: readonly string[]): Fix | undefined {
  const [gate, ...others] = yaml.gates;
  const list = gate?.list;
  if (!list || others.length > 0) return undefined;
  return { safety: 'unsafe', file: 'yaml', edits: [addToList(yaml, list, names)] };
}
