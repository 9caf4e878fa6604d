import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocument } from '../document/document.js';
import { labelledFields } from './labelled-fields.js';

test('labelledFields() finds labels in any letter case, in bold and in items, and no other', () => {
  const lead = fc.constantFrom(
    '',
    '- ',
    '  * ',
    '  - [optional] ',
    '**',
    '__',
    '- **',
    'Note: ',
    'The ',
    '<!-- x: --> ',
  );
  const name = fc.constantFrom('metric name', 'Event Reason', 'OTHER FIELD', 'Feature gate', 'metric names', 'a');
  const tail = fc.constantFrom(':', ' :', '**:', ':**', '__:', ' **:', '', '-:', '\t:', '\\:');
  const labels = ['metric name', 'event reason', 'other field'] as const;
  fc.assert(
    fc.property(fc.array(fc.tuple(lead, name, tail), { maxLength: 4 }), (parts) => {
      const text = parts.map((words) => `${words.join('')} x: y`).join('\n\n');
      const wanted = parts.filter(
        ([lead, name, tail]) =>
          labels.some((label) => label === name.toLowerCase()) &&
          !['Note: ', 'The '].includes(lead) &&
          !['', '-:', '\t:', '\\:'].includes(tail),
      );
      const found = labelledFields(parseDocument(text), labels);
      expect(found.map(({ label }) => label)).toEqual(wanted.map(([, name]) => name.toLowerCase()));
    }),
    { numRuns: 1_000 },
  );
});
