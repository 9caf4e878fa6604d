import { defineRule, startOfFile } from '../facts/rule.js';
import type { FieldRule } from '../kinds/document-kind.js';
import { type Metadata, metadataField } from '../kinds/metadata.js';
import { reaches } from '../metadata/stage.js';

/** Lists, links and reviewers go by the metadata. */
export const fieldMissing = defineRule({
  id: 'KEP541',
  slug: 'field-missing',
  summary: 'The metadata has the fields that the stage asks for',
  of: 'declared',
  severity: { draft: 'error', gated: 'error' },
  hard: true,
  check({ declared, document, stage, template: { ladder } }, report) {
    if (!declared || !document) return;
    const { kind, metadata } = declared;
    if (metadata.problems.length > 0) return;
    const missing = [...kind.fields.values()].filter(
      (field) =>
        field.requiredFrom !== undefined &&
        reaches(stage, field.requiredFrom, ladder) &&
        applies(field, metadata) &&
        !metadataField(metadata, field.name)?.values.length,
    );
    const inHead = missing.filter(({ section }) => section === undefined);
    if (!metadata.isThere && inHead.length > 0) {
      const names = inHead.map(({ name }) => name).join(', ');
      const where = {
        'front-matter': 'front matter between two lines of ---',
        header: 'lines "Name: value" below the title',
        file: `a file ${kind.metadataFile} beside the document`,
        none: 'metadata',
      }[kind.metadata];
      report({ file: 'readme', span: startOfFile, message: `there is no metadata; write ${where}, with ${names}` });
    }
    for (const { name, section, requiredFrom = '' } of missing) {
      if (section === undefined && !metadata.isThere) continue;
      const found = metadataField(metadata, name);
      const from = requiredFrom === '' ? 'is required' : `is required from ${requiredFrom} on`;
      const where = section === undefined ? '' : ` in the first line below "${section}"`;
      const message = `"${name}" ${from}${where}, and ${found ? 'is empty' : 'is missing'}`;
      const file = section === undefined ? metadata.file : 'readme';
      report({ file, span: found?.key ?? startOfFile, message });
    }
  },
});

/** Whether the other fields have the values at which a field is asked for. */
export function applies({ when }: FieldRule, metadata: Metadata): boolean {
  return [...when].every(([name, wanted]) => {
    const value = metadataField(metadata, name)?.values[0]?.value;
    return value !== undefined && wanted.includes(value);
  });
}
