import type { StageLadder } from '../metadata/stage.js';
import type { ConfigValue } from './config-value.js';
import { type DocumentKind, type FieldRule, fieldForms, fieldNamed, type MetadataForm } from './document-kind.js';
import { type FilePattern, readFilePattern } from './file-pattern.js';
import type { Severity } from './severity.js';

/** Reads the severities that `rules` of a mapping names. */
export type ReadSeverities = (value: ConfigValue) => ReadonlyMap<string, Severity | 'off'>;

/** The kind that needs no declaration: proposals of Kubernetes. */
export const builtinKind = 'kep';

const settings = [
  'files',
  'metadata',
  'template',
  'status',
  'title',
  'authors',
  'fields',
  'otherFields',
  'rules',
] as const;

/**
 * Reads the `documents` of a configuration: kinds by name, and whether proposals of Kubernetes are among them.
 * @throws ConfigError
 */
export function readKinds(
  value: ConfigValue,
  severities: ReadSeverities,
): { readonly kinds: readonly DocumentKind[]; readonly hasKeps: boolean } {
  if (!value.isThere) return { kinds: [], hasKeps: true };
  const entries = value.entries();
  if (entries.length === 0) throw value.error(`${value.name} names no kind of document`);
  const builtin = entries.find(([name]) => name === builtinKind)?.[1];
  if (builtin?.isThere)
    throw builtin.error(
      `${builtin.name} has settings, and is built in`,
      `write "${builtinKind}:" with nothing behind it`,
    );
  const declared = entries.filter(([name]) => name !== builtinKind);
  return { kinds: declared.map(([name, kind]) => readKind(name, kind, severities)), hasKeps: builtin !== undefined };
}

function readKind(name: string, value: ConfigValue, readSeverities: ReadSeverities): DocumentKind {
  if (!/^[a-z][a-z0-9-]{0,40}$/.test(name))
    throw value.error(`${value.name} is not a name of a kind`, 'use small letters, digits and -');
  const given = value.fields(settings);
  const { stageField, ladder, closed } = stagesOf(given.status);
  const { metadata, metadataFile } = metadataOf(given.metadata);
  const fields = new Map<string, FieldRule>();
  for (const [field, rule] of given.fields.entries()) fields.set(field, fieldOf(field, rule, ladder));
  const kind: DocumentKind = {
    name,
    files: patternOf(given.files, value),
    metadata,
    metadataFile,
    fields,
    otherFields: given.otherFields.flag(),
    template: given.template.text(),
    ladder,
    stageField,
    closed,
    titleField: given.title.text(),
    authorsField: given.authors.text(),
    severities: readSeverities(given.rules),
  };
  if (metadata === 'none' && [...fields.values()].some(({ section }) => section === undefined))
    throw given.fields.error(
      `${given.fields.name}: there is no metadata to hold them`,
      'say where: metadata: front-matter',
    );
  for (const [name, setting] of [
    [stageField, given.status],
    [kind.titleField, given.title],
    [kind.authorsField, given.authors],
  ] as const) {
    if (name !== undefined && !fieldNamed(kind, name))
      throw setting.error(`${setting.name}: there is no field ${name}`, 'declare it in fields');
  }
  return kind;
}

function patternOf(value: ConfigValue, kind: ConfigValue): FilePattern {
  const text = value.text();
  if (text === undefined)
    throw kind.error(
      `${kind.name} does not say where its files are`,
      'write for example files: docs/adr/{number}-{slug}.md',
    );
  try {
    return readFilePattern(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw value.error(`${value.name}: ${text} ${error.message}`);
    throw error;
  }
}

function metadataOf(value: ConfigValue): { metadata: MetadataForm; metadataFile: string | undefined } {
  if (value.isMapping) {
    const { file } = value.fields(['file']);
    const metadataFile = file.text();
    if (metadataFile === undefined || !/^[^/]+\.ya?ml$/.test(metadataFile))
      throw file.error(
        `${file.name} is not the name of a YAML file`,
        'write for example metadata: { file: meta.yaml }',
      );
    return { metadata: 'file', metadataFile };
  }
  return { metadata: value.oneOf(['front-matter', 'header', 'none']) ?? 'none', metadataFile: undefined };
}

/** A list of names in the list of stages is one stage with several names. */
function stagesOf(value: ConfigValue): {
  stageField: string | undefined;
  ladder: StageLadder;
  closed: readonly string[];
} {
  if (!value.isThere) {
    return {
      stageField: undefined,
      ladder: { names: [''], ranks: new Map([['', 0]]), also: new Map(), draft: undefined },
      closed: [],
    };
  }
  const { field, stages, closed } = value.fields(['field', 'stages', 'closed']);
  const stageField = field.text();
  if (stageField === undefined)
    throw value.error(`${value.name} does not name a field`, 'write for example field: status');
  const names: string[] = [];
  const ranks = new Map<string, number>();
  const also = new Map<string, string>();
  for (const [rank, stage] of stages.items().entries()) {
    const [first, ...others] = stage.isList ? stage.texts() : [stage.text() ?? ''];
    if (!first) throw stage.error(`${stage.name} is empty`);
    names.push(first);
    for (const name of [first, ...others]) {
      if (ranks.has(name)) throw stage.error(`${stage.name}: ${name} is there twice`);
      ranks.set(name, rank);
    }
    for (const other of others) also.set(other.toLowerCase(), first);
  }
  if (names.length === 0) throw stages.error(`${stages.name} is empty`, 'write for example stages: [Draft, Final]');
  const ended = closed.texts();
  const both = ended.find((name) => ranks.has(name));
  if (both) throw closed.error(`${closed.name}: ${both} is a stage too`);
  return { stageField, ladder: { names, ranks, also, draft: undefined }, closed: ended };
}

function fieldOf(name: string, value: ConfigValue, ladder: StageLadder): FieldRule {
  const given = value.fields(['required', 'when', 'values', 'form', 'list', 'maxLength', 'is', 'section', 'help']);
  const when = new Map<string, readonly string[]>();
  for (const [other, wanted] of given.when.entries())
    when.set(other, wanted.isList ? wanted.texts() : [wanted.text() ?? '']);
  return {
    name,
    requiredFrom: requiredFrom(given.required, ladder),
    when,
    values: given.values.texts(),
    form: given.form.oneOf(fieldForms) ?? 'text',
    list: given.list.flag(),
    maxLength: given.maxLength.count(),
    is: given.is.oneOf(['number', 'title']),
    section: given.section.text(),
    help: given.help.text(),
  };
}

function requiredFrom(value: ConfigValue, { names }: StageLadder): string | undefined {
  const text = value.text();
  if (text === undefined || text === 'false') return undefined;
  if (text === 'true') return names[0];
  if (names.includes(text)) return text;
  const hint = names[0] === '' ? 'write true or false' : `write true, false, or one of ${names.join(', ')}`;
  throw value.error(`${value.name}: ${text} is not a stage`, hint);
}
