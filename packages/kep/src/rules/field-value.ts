import { nearestValue } from '../document/nearest.js';
import { defineRule, type Fix, type RepositoryFacts } from '../facts/rule.js';
import { allowedValues, type DocumentKind, type FieldForm, type FieldRule } from '../kinds/document-kind.js';
import { metadataField } from '../kinds/metadata.js';
import type { Field } from '../metadata/kep-yaml.js';

/** What is asked of the document depends on its fields, and programs read them. */
export const fieldValue = defineRule({
  id: 'KEP542',
  slug: 'field-value',
  summary: 'Fields have values that the kind of document allows',
  of: 'declared',
  severity: { draft: 'error', gated: 'error' },
  whenFrozen: true,
  hard: true,
  check({ declared, repository }, report) {
    if (!declared) return;
    const { kind, metadata } = declared;
    for (const field of kind.fields.values()) {
      const found = metadataField(metadata, field.name);
      if (!found) continue;
      const file = field.section === undefined ? metadata.file : 'readme';
      if (found.isOther) report({ file, span: found.key, message: `"${field.name}" is not one value` });
      for (const value of found.values) {
        const wrong = problemOf(value, field, kind, repository);
        if (wrong) report({ file, span: value, ...wrong });
      }
    }
  },
});

function problemOf(
  { value, start, end }: Field<string>,
  field: FieldRule,
  kind: DocumentKind,
  repository: RepositoryFacts,
): { message: string; fix?: Fix } | undefined {
  const allowed = allowedValues(field, kind);
  if (allowed.length > 0) {
    if (allowed.includes(value)) return undefined;
    const near = nearestValue(value, allowed);
    const hint = near ? `did you mean ${near}?` : `write one of ${allowed.join(', ')}`;
    const message = `${field.name}: "${value}" is not known; ${hint}`;
    return near ? { message, fix: { safety: 'safe', edits: [{ start, end, text: near }] } } : { message };
  }
  if (field.maxLength !== undefined && [...value].length > field.maxLength)
    return { message: `${field.name} has ${[...value].length} characters; ${field.maxLength} are allowed` };
  const wanted = forms[field.form];
  if (wanted && !wanted.test.test(value)) return { message: `${field.name}: "${value}" is not ${wanted.what}` };
  if (field.form === 'document' && repository.sameNumber(value.replace(/\D/g, '')).length === 0)
    return { message: `${field.name}: there is no ${kind.name} ${value}` };
  return undefined;
}

const forms: Readonly<Partial<Record<FieldForm, { readonly test: RegExp; readonly what: string }>>> = {
  number: { test: /^\d{1,9}$/, what: 'a number' },
  date: { test: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/, what: 'a day like 2026-03-31' },
  url: {
    test: /^(?:<?https?:\/\/[^\s<>]+>?|\[[^\]]{1,300}\]\(https?:\/\/[^\s()]+\))$/,
    what: 'an address with https://',
  },
  person: {
    test: /^(?:@[\w-]+|[^<>@()]{1,100}(?:\(@[\w-]+\)|<[^<>@\s]{1,100}@[^<>@\s]{1,100}>)+|[^<>@()]{1,100})$/,
    what: 'a person: write @handle, Name (@handle) or Name <address>',
  },
  boolean: { test: /^(?:true|false)$/, what: 'true or false' },
  document: { test: /^\D{0,20}\d{1,9}$/, what: 'the number of another document' },
};
