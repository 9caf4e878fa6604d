import { nearest } from '../document/nearest.js';
import { approvalKind, compareKind, inWords, kepKind } from '../facts/field-kinds.js';
import { defineRule } from '../facts/rule.js';

/** Upstream's tools read values strictly, and refuse a whole file for one of them. */
export const fieldKind = defineRule({
  id: 'KEP523',
  slug: 'field-kind',
  summary: 'Values are texts, lists or maps as the tools read them',
  of: 'kep',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  hard: true,
  check({ yaml, approval }, report) {
    const files = [
      ['yaml', yaml?.root, kepKind],
      ['approval', approval?.root, approvalKind],
    ] as const;
    for (const [file, root, kind] of files) {
      if (!root) continue;
      const { wrong, unknown } = compareKind(root, kind, '');
      for (const { name, node, wanted } of wrong) {
        report({ file, span: node, message: `${name || 'the file'} must be ${inWords(wanted)}` });
      }
      for (const { name, node, known } of unknown) {
        // Those of kep.yaml itself are for another rule.
        if (file === 'yaml' && !name.includes('.')) continue;
        const near = name === 'milestone.ga' ? 'stable' : nearest(name.split('.').at(-1) ?? '', known);
        const hint = near ? `did you mean "${near}"?` : `there is ${known.join(', ')}`;
        report({ file, span: node, message: `"${name}" is not known; ${hint}` });
      }
    }
  },
});
