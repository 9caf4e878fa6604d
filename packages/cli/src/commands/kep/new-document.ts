import { basename } from 'node:path';
import { type DocumentKind, fillGaps, type KepRepository, withClosedDirectives } from '@slipway/kep';
import { CommandError, exit } from '../../runtime/exit.js';

/** What a new document of a declared kind begins with. */
export interface NewDocument {
  readonly slug: string;
  readonly number: string | undefined;
  readonly title: string;
  readonly authors: readonly string[];
  /** YYYY-MM-DD. */
  readonly today: string;
}

/**
 * The files of a new document: its template with `{number}`, `{title}`, `{slug}`, `{author}` and `{today}` filled in, at the
 * path that the kind gives it. Without a number it gets the one behind the highest. @throws CommandError
 */
export function newDocument(
  repository: KepRepository,
  kind: DocumentKind,
  document: NewDocument,
): { readonly number: string; readonly files: ReadonlyMap<string, string> } {
  if (kind.template === undefined)
    throw new CommandError(exit.usage, `documents.${kind.name} has no template`, 'name one with template: FILE.md');
  const taken = repository
    .keps()
    .flatMap((each) => (each.kind === kind.name && each.number ? [Number(each.number)] : []));
  const number = document.number ?? String(Math.max(0, ...taken) + 1);
  const { slug, title, today, authors } = document;
  const path = fillGaps(kind.files.text, { number, slug, group: slug });
  const values = { number, slug, title, today, author: authors.join(', ') || undefined };
  const found = repository.documentAt(path);
  if (!found?.file) throw new CommandError(exit.usage, `${path} is not a name like ${kind.files.text}`);
  const text = withClosedDirectives(fillGaps(repository.templateOf(found).document.text, values));
  const files = new Map([[found.file, text]]);
  if (kind.metadataFile !== undefined) files.set(`${found.path}/${kind.metadataFile}`, sideFile(kind, values));
  return { number: kind.files.text.includes('{number') ? number : basename(path), files };
}

/** The fields that a kind asks for, with what is known of them. */
function sideFile(
  kind: DocumentKind,
  values: {
    readonly number: string;
    readonly title: string;
    readonly today: string;
    readonly author: string | undefined;
  },
): string {
  const lines = [...kind.fields.values()]
    .filter(({ section }) => section === undefined)
    .map((field) => {
      const known =
        field.is === 'number'
          ? values.number
          : field.is === 'title' || field.name === kind.titleField
            ? JSON.stringify(values.title)
            : undefined;
      const other =
        field.name === kind.authorsField
          ? values.author && JSON.stringify(values.author)
          : field.name === kind.stageField
            ? kind.ladder.names[0]
            : undefined;
      return { field, value: known ?? other };
    });
  return lines
    .filter(({ field, value }) => value !== undefined || field.requiredFrom !== undefined)
    .map(({ field, value = '' }) => `${field.name}: ${value}`.trimEnd())
    .join('\n')
    .concat('\n');
}
