import { nearest } from '../document/nearest.js';
import { isGateName, saysNothing } from '../facts/identifiers.js';
import { defineRule } from '../facts/rule.js';

/** Who operates a component has to know which gates it has. */
export const gateShape = defineRule({
  id: 'KEP515',
  slug: 'gate-shape',
  summary: 'Feature gates have a name and components',
  of: 'kep',
  severity: { draft: 'warn', gated: 'error' },
  check({ yaml, repository }, report) {
    for (const gate of yaml?.gates ?? []) {
      if (!gate.name) {
        report({ file: 'yaml', span: gate, message: 'a feature gate has no name' });
        continue;
      }
      const { value } = gate.name;
      if (saysNothing(value)) continue;
      if (!isGateName(value))
        report({
          file: 'yaml',
          span: gate.name,
          message: `"${value}" is not a valid name for a gate; write it like NodeBalloons`,
        });
      if (gate.components.length === 0)
        report({ file: 'yaml', span: gate.name, message: `"${value}" names no component` });
      for (const component of gate.components) {
        if (repository.components.has(component.value)) continue;
        const near = nearest(component.value, repository.components);
        report({
          file: 'yaml',
          span: component,
          message: `there is no component "${component.value}"${near ? `; did you mean "${near}"?` : '; add it to components of .slipway/kep.yaml'}`,
        });
      }
    }
  },
});
