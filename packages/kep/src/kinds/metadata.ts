import type { YamlError, YamlNode } from '@slipway/safe-yaml';
import { lineKind } from '../document/blocks.js';
import type { KepDocument } from '../document/document.js';
import { Lines, type Span } from '../document/lines.js';
import { type Field, type KepYaml, readKepYaml } from '../metadata/kep-yaml.js';
import { allowedValues, type DocumentKind, type FieldRule, fieldNamed } from './document-kind.js';

/** One field of the metadata of a document. */
export interface MetadataField extends Span {
  /** As the document writes it. */
  readonly name: string;
  readonly key: Span;
  /** Its values, empty ones left out; a field that is not a list has at most one. */
  readonly values: readonly Field<string>[];
  /** The value is a mapping, or a list where one value is expected. */
  readonly isOther: boolean;
}

/** The metadata of a document as far as it can be read. Whether it makes sense is for the rules. */
export interface Metadata {
  /** The file whose offsets the spans are. */
  readonly file: 'readme' | 'yaml';
  readonly lines: Lines;
  readonly problems: readonly YamlError[];
  /** Whether there is any: front matter, or the file beside the document. */
  readonly isThere: boolean;
  /** In the order of the document. */
  readonly fields: readonly MetadataField[];
  /** Offset behind the last field that stands with the others; undefined where none can be added. */
  readonly end: number | undefined;
}

/** Reads the metadata of a document. Never throws. `side` is the file beside the document, for kinds that have one. */
export function readMetadata(
  kind: DocumentKind,
  document: KepDocument | undefined,
  side: KepYaml | undefined,
): Metadata {
  const head = headOf(kind, document, side);
  const inSections = document
    ? [...kind.fields.values()].flatMap((field) => fieldInSection(document, field, kind) ?? [])
    : [];
  return { ...head, fields: [...head.fields, ...inSections] };
}

/** The field of a kind in the metadata of a document. */
export function metadataField({ fields }: Metadata, name: string): MetadataField | undefined {
  const lower = name.toLowerCase();
  return fields.find((field) => field.name === name) ?? fields.find((field) => field.name.toLowerCase() === lower);
}

function headOf(kind: DocumentKind, document: KepDocument | undefined, side: KepYaml | undefined): Metadata {
  if (kind.metadata === 'file') return fromYaml(kind, side, 'yaml');
  const nothing: Metadata = {
    file: 'readme',
    lines: document?.lines ?? new Lines(''),
    problems: [],
    isThere: false,
    fields: [],
    end: undefined,
  };
  if (!document || kind.metadata === 'none') return nothing;
  if (kind.metadata === 'header') return fromHeader(kind, document);
  const end = frontMatterEnd(document);
  if (end === undefined) return nothing;
  // The marks are blanked out, so that offsets are those of the document.
  const text = document.text.slice(0, end).replace(/^(\uFEFF?)---/, (_, bom: string) => ' '.repeat(bom.length + 3));
  return { ...fromYaml(kind, readKepYaml(text), 'readme'), lines: document.lines };
}

/** Offset of the `---` that ends the front matter; undefined where there is none. */
function frontMatterEnd({ lines, blocks }: KepDocument): number | undefined {
  if (blocks.kinds[0] !== lineKind.frontMatter) return undefined;
  let last = 0;
  while (blocks.kinds[last + 1] === lineKind.frontMatter) last++;
  return lines.start(last);
}

function fromYaml(kind: DocumentKind, yaml: KepYaml | undefined, file: 'readme' | 'yaml'): Metadata {
  const entries = yaml?.root?.entries ?? [];
  const fields = entries.map(({ key, value }) => {
    const isList = fieldNamed(kind, key.source)?.list === true;
    const { start, end } = { start: key.start, end: Math.max(key.end, value.end) };
    return {
      name: key.source,
      key,
      start,
      end,
      values: valuesOf(value, isList),
      isOther: value.kind === 'map' || (value.kind === 'list' && !isList),
    };
  });
  const lines = yaml?.lines ?? new Lines('');
  return { file, lines, problems: yaml?.problems ?? [], isThere: yaml !== undefined, fields, end: yaml?.text.length };
}

function valuesOf(node: YamlNode, isList: boolean): readonly Field<string>[] {
  if (node.kind === 'list') return node.items.flatMap((item) => valuesOf(item, false));
  if (node.kind === 'map' || node.source.trim() === '') return [];
  const { start, end, source } = node;
  // A text in quotes is longer than what it says.
  return isList && end - start === source.length ? itemsOf(source, start) : [{ value: source.trim(), start, end }];
}

/** The parts of a text between its commas. */
function itemsOf(text: string, at: number): readonly Field<string>[] {
  return [...text.matchAll(/[^,]+/g)].flatMap(({ 0: part, index }) => {
    const value = part.trim();
    const start = at + index + part.indexOf(value);
    return value === '' ? [] : [{ value, start, end: start + value.length }];
  });
}

const headerLine =
  /^ {0,3}(?<mark>[-*+][ \t]+)?(?<open>\*\*|__)?(?<name>[A-Za-z][\w .#/-]{0,60}?)(?<close>\*\*|__)?:(?:\*\*|__)?[ \t]*(?<value>.*)$/;

/** Lines `Name: value`, mostly in a list, between the title and the first section. Lines that are in no list must have the name of a declared field. */
function fromHeader(kind: DocumentKind, document: KepDocument): Metadata {
  const { lines, text, sections } = document;
  const first = sections.find(({ form, level, line }) => form === 'heading' && (level > 1 || line > 0));
  const title = sections.find(({ form, level }) => form === 'heading' && level === 1);
  const until = (first === title ? sections.find((section) => section !== title) : first)?.line ?? lines.count;
  const fields: MetadataField[] = [];
  let end: number | undefined;
  for (let line = 0; line < Math.min(until, 100); line++) {
    const start = lines.start(line);
    const match = headerLine.exec(text.slice(start, lines.end(line)));
    const { mark, name = '', value = '' } = match?.groups ?? {};
    const declared = fieldNamed(kind, name.trim());
    if (!match || (mark === undefined && !declared) || declared?.section !== undefined) continue;
    const from = start + match[0].length - value.length;
    const key = start + match[0].indexOf(name);
    const trimmed = value.trim();
    const values = declared?.list
      ? itemsOf(value, from)
      : trimmed === ''
        ? []
        : [{ value: trimmed, start: from, end: from + value.trimEnd().length }];
    fields.push({
      name: name.trim(),
      key: { start: key, end: key + name.length },
      start,
      end: lines.end(line),
      values,
      isOther: false,
    });
    end = lines.start(line + 1);
  }
  return { file: 'readme', lines, problems: [], isThere: fields.length > 0, fields, end };
}

/** The first line of a section; where the field has certain values, only the one that the line begins with. */
function fieldInSection(
  { sections, lines, text }: KepDocument,
  field: FieldRule,
  kind: DocumentKind,
): MetadataField | undefined {
  const { name, section: title, list } = field;
  if (title === undefined) return undefined;
  const section = sections.find((each) => each.form === 'heading' && each.title.toLowerCase() === title.toLowerCase());
  if (!section) return undefined;
  for (let line = section.own.first; line <= section.own.last; line++) {
    const start = lines.start(line);
    const content = text.slice(start, lines.end(line));
    const whole = content.trim();
    if (whole === '' || whole.startsWith('<!--')) continue;
    const value = allowedValues(field, kind).find((each) => whole.startsWith(`${each} `)) ?? whole;
    const from = start + content.indexOf(whole);
    const span = { start: from, end: from + value.length };
    return {
      name,
      key: section.span,
      ...span,
      values: list ? itemsOf(value, from) : [{ value, ...span }],
      isOther: false,
    };
  }
  return { name, key: section.span, ...section.span, values: [], isOther: false };
}
