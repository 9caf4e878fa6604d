import { gateNames } from '../facts/identifiers.js';
import { labelledFields } from '../facts/labelled-fields.js';
import { defineRule } from '../facts/rule.js';

/** Tools read the metadata. */
export const gateOnlyInText = defineRule({
  id: 'KEP703',
  slug: 'gate-only-in-text',
  summary: '`kep.yaml` lists the gate of the README',
  of: 'kep',
  severity: { draft: 'off', gated: 'warn' },
  check({ document, yaml }, report) {
    if (!document || !yaml?.root || yaml.gates.length > 0) return;
    const field = labelledFields(document, ['feature gate name']).find(
      (each) => each.checked && gateNames(each.value).length > 0,
    );
    if (field)
      report({ file: 'readme', span: field, message: `kep.yaml does not list ${gateNames(field.value).join(', ')}` });
  },
});
