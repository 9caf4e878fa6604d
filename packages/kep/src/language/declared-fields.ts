import type { DeclaredFacts } from '../facts/declared-facts.js';
import { allowedValues, fieldNamed } from '../kinds/document-kind.js';
import { metadataField } from '../kinds/metadata.js';
import type { CompletionItem } from './completion-item.js';
import type { Hover } from './hover-text.js';
import { offsetOf, type Position, rangeOf, type TextEdit } from './text-range.js';

/** In the metadata of a document of a declared kind: fields that are missing, and the values that a field can have. */
export function completionsInFields(
  { kind, metadata }: DeclaredFacts,
  text: string,
  at: Position,
): CompletionItem[] | undefined {
  const { lines, end } = metadata;
  const start = lines.start(at.line);
  const before = text.slice(start, Math.min(start + at.character, lines.end(at.line)));
  const replace = (from: number, newText: string): TextEdit => ({
    range: { start: { line: at.line, character: from }, end: at },
    newText,
  });
  const typed = /^(?<mark>\s*(?:[-*+]\s+)?)(?<name>[^:]*?)(?::[ \t]*(?<value>[^\s"']*))?$/.exec(before)?.groups;
  const field = typed?.name === undefined ? undefined : fieldNamed(kind, typed.name.trim());
  const { value } = typed ?? {};
  if (field && value !== undefined && field.section === undefined)
    return allowedValues(field, kind).map((each) => ({
      label: each,
      detail: field.help ?? '',
      edit: replace(before.length - value.length, each),
    }));
  if (end === undefined || start > end || !typed || value !== undefined) return undefined;
  return [...kind.fields.values()]
    .filter(({ name, section }) => section === undefined && !metadataField(metadata, name))
    .map(({ name, help, requiredFrom }) => ({
      label: name,
      detail:
        help ?? (requiredFrom === undefined ? 'optional' : `required${requiredFrom && ` from ${requiredFrom} on`}`),
      edit: replace((typed.mark ?? '').length, `${name}: `),
    }));
}

/** On a field of the metadata: what the kind says about it. */
export function hoverOnField({ kind, metadata }: DeclaredFacts, at: Position): Hover | undefined {
  const offset = offsetOf(metadata.lines, at);
  const found = metadata.fields.find(({ key }) => key.start <= offset && offset <= key.end);
  const field = found && fieldNamed(kind, found.name);
  if (!found || !field) return undefined;
  const values = allowedValues(field, kind);
  const parts = [
    ...(field.help ? [field.help] : []),
    ...(field.requiredFrom === undefined
      ? ['Optional.']
      : [`Asked for${field.requiredFrom && ` from **${field.requiredFrom}** on`}.`]),
    ...(values.length > 0 ? [`One of ${values.map((each) => `\`${each}\``).join(', ')}.`] : []),
  ];
  return { markdown: parts.join('\n\n'), range: rangeOf(metadata.lines, found.key) };
}
