import { defineRule, startOfFile } from '../facts/rule.js';

/** Without them the proposal cannot be listed, assigned or released. */
export const requiredField = defineRule({
  id: 'KEP503',
  slug: 'required-field',
  summary: '`kep.yaml` has the fields that it must have',
  of: 'kep',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  hard: true,
  check({ document, yaml, place, unreadable, isStray }, report) {
    if (isStray) {
      const message = "no kep.yaml lies beside it, which upstream's tools refuse; give the file another name";
      report({ file: 'readme', span: startOfFile, message });
    }
    if (!document && !yaml) return;
    if (!yaml) {
      if (place && !unreadable.some(({ file }) => file === 'yaml'))
        report({ file: 'yaml', span: startOfFile, message: `there is no kep.yaml; write ${place.directory}/kep.yaml` });
      return;
    }
    if (!yaml.root) return;
    const status = yaml.one('status')?.value;
    const isPlanned = status === 'implementable' || status === 'implemented';
    const required = [
      'title',
      'kep-number',
      'authors',
      'owning-sig',
      'status',
      'approvers',
      ...(isPlanned ? ['stage', 'latest-milestone'] : []),
    ];
    for (const name of required) {
      if (!yaml.one(name) && yaml.many(name).length === 0)
        report({ file: 'yaml', span: yaml.key(name) ?? startOfFile, message: `"${name}" is missing` });
    }
  },
});
