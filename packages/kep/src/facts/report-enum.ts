import { nearest } from '../document/nearest.js';
import type { Field } from '../metadata/kep-yaml.js';
import type { Report } from './rule.js';

/** Reports a value that is none of those allowed; a slip of the fingers can be fixed. */
export function reportEnum(
  field: Field<string>,
  allowed: readonly string[],
  name: string,
  report: (found: Report) => void,
): void {
  const near = nearest(field.value, allowed);
  const hint = near ? `did you mean ${near}?` : `write one of ${allowed.join(', ')}`;
  const fix = near
    ? { safety: 'safe' as const, edits: [{ start: field.start, end: field.end, text: near }] }
    : undefined;
  report({ file: 'yaml', span: field, message: `${name}: "${field.value}" is not known; ${hint}`, fix });
}
