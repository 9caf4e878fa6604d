import { metadataField } from '../kinds/metadata.js';
import type { KepFacts } from './rule.js';

/** What lists and pages show of a proposal or of a document of a declared kind. */
export interface Card {
  readonly number: string;
  readonly title: string;
  /** The group that owns it, or its kind. */
  readonly group: string;
  readonly status: string;
  readonly stage: string;
  readonly milestone: string;
  readonly authors: readonly string[];
  readonly approvers: readonly string[];
  readonly gates: readonly string[];
}

/** Reads a card from metadata; what is missing there is empty, or what the place and the heading say. */
export function cardOf(
  { yaml, declared, document, stage }: Pick<KepFacts, 'yaml' | 'declared' | 'document'> & { readonly stage?: string },
  place: { readonly number: string | undefined; readonly group: string | undefined },
): Card {
  const heading = document?.sections.find(({ level, form }) => level === 1 && form === 'heading')?.title ?? '';
  if (declared) {
    const { kind, metadata } = declared;
    const values = (name: string | undefined) =>
      name === undefined ? [] : (metadataField(metadata, name)?.values ?? []).map(({ value }) => value);
    return {
      number: place.number ?? '',
      title: values(kind.titleField)[0] ?? withoutNumber(heading),
      group: place.group ?? kind.name,
      status: values(kind.stageField)[0] ?? '',
      stage: kind.stageField === undefined ? '' : (stage ?? ''),
      milestone: '',
      authors: values(kind.authorsField),
      approvers: [],
      gates: [],
    };
  }
  const one = (name: string) => yaml?.one(name)?.value ?? '';
  const many = (name: string) => (yaml?.many(name) ?? []).map(({ value }) => value);
  return {
    number: one('kep-number') || (place.number ?? ''),
    title: one('title') || heading,
    group: one('owning-sig') || (place.group ?? ''),
    status: one('status'),
    stage: one('stage'),
    milestone: one('latest-milestone'),
    authors: many('authors'),
    approvers: many('approvers'),
    gates: (yaml?.gates ?? []).flatMap(({ name }) => name?.value ?? []),
  };
}

/** `4. Use one queue` and `ADR 4: Use one queue` are both named "Use one queue". */
function withoutNumber(heading: string): string {
  return heading.replace(/^(?:[A-Za-z]{2,8}[ -#]*)?\d+[.:)]?\s+/, '') || heading;
}
