import { defineRule, type KepFacts, type Report } from '../facts/rule.js';
import { fillGaps } from '../kinds/file-pattern.js';
import { metadataField } from '../kinds/metadata.js';

/** What is said twice is wrong once. */
export const fieldDiffers = defineRule({
  id: 'KEP544',
  slug: 'field-differs',
  summary: 'The number and the title are the same everywhere',
  of: 'declared',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  check(facts, report) {
    const { declared, place } = facts;
    if (!declared) return;
    const { kind, metadata } = declared;
    for (const field of kind.fields.values()) {
      const [value] = metadataField(metadata, field.name)?.values ?? [];
      if (!value) continue;
      const file = field.section === undefined ? metadata.file : 'readme';
      const number = place?.number;
      if (field.is === 'number' && number !== undefined && Number(value.value) !== Number(number)) {
        const fix = {
          safety: 'safe' as const,
          edits: [{ start: value.start, end: value.end, text: String(Number(number)) }],
        };
        report({
          file,
          span: value,
          message: `${field.name} is ${value.value}, the name of the file says ${number}`,
          fix,
        });
      }
      const title = titleOf(facts);
      if (field.is === 'title' && title && !sameWords(title.title, value.value))
        report({ file, span: value, message: `${field.name} is "${value.value}", the heading says "${title.title}"` });
    }
    compareHeading(facts, report);
  },
});

function titleOf({ document }: KepFacts) {
  return document?.sections.find(({ level, form }) => level === 1 && form === 'heading');
}

/** The heading of level 1 has the number where the template has `{number}`. */
function compareHeading(facts: KepFacts, report: (found: Report) => void): void {
  const { place, template } = facts;
  const wanted = template.sections.find(({ section }) => section.level === 1)?.title;
  const title = titleOf(facts);
  if (!title || place?.number === undefined || !wanted?.includes('{number')) return;
  const values = { number: String(Number(place.number)) };
  const begins = fillGaps(wanted.replace(/\{title\}[\s\S]*/, ''), values).trim();
  if (title.title.replace(/\b0+(?=\d)/g, '').startsWith(begins.replace(/\b0+(?=\d)/g, ''))) return;
  const message = `the title is "${title.title}"; the name of the file and the template say that it begins with "${begins}"`;
  report({ file: 'readme', span: title.span, message });
}

function sameWords(one: string, other: string): boolean {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim();
  return plain(one) === plain(other) || plain(one).endsWith(` ${plain(other)}`);
}
