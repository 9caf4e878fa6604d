import type { StageLadder } from '../metadata/stage.js';
import type { FilePattern } from './file-pattern.js';
import type { Severity } from './severity.js';

/** What the value of a field looks like. `document` is the number of another document of the kind. */
export const fieldForms = ['text', 'number', 'date', 'url', 'person', 'boolean', 'document'] as const;
export type FieldForm = (typeof fieldForms)[number];

/** What a kind of document says about one field of its metadata. */
export interface FieldRule {
  readonly name: string;
  /** The stage from which on the field must have a value; undefined for an optional one. */
  readonly requiredFrom: string | undefined;
  /** The field is asked for only where another field has one of these values. */
  readonly when: ReadonlyMap<string, readonly string[]>;
  /** Allowed values; empty allows any. */
  readonly values: readonly string[];
  readonly form: FieldForm;
  /** The value is a list: of YAML, or separated by commas. */
  readonly list: boolean;
  /** Maximum number of characters. */
  readonly maxLength: number | undefined;
  /** What the field repeats: the number in the name of the file, or the heading of level 1. */
  readonly is: 'number' | 'title' | undefined;
  /** Title of the section whose first line is the value, for a field that stands there. */
  readonly section: string | undefined;
  readonly help: string | undefined;
}

/** Where the metadata of a document stands: in YAML at its start, in lines `Name: value` below its title, in a file beside it, or nowhere. */
export type MetadataForm = 'front-matter' | 'header' | 'file' | 'none';

/** One kind of document, as the configuration of a repository declares it. */
export interface DocumentKind {
  readonly name: string;
  readonly files: FilePattern;
  readonly metadata: MetadataForm;
  /** Name of the file beside the document that holds its metadata. */
  readonly metadataFile: string | undefined;
  readonly fields: ReadonlyMap<string, FieldRule>;
  /** Fields that are not declared are allowed. */
  readonly otherFields: boolean;
  /** Path of the template, relative to the root; undefined asks for no sections. */
  readonly template: string | undefined;
  readonly ladder: StageLadder;
  /** The field that names the stage; undefined when there are no stages. */
  readonly stageField: string | undefined;
  /** Values of that field at which a document is held only to what holds for closed ones. */
  readonly closed: readonly string[];
  /** Fields that lists and pages show. */
  readonly titleField: string | undefined;
  readonly authorsField: string | undefined;
  readonly severities: ReadonlyMap<string, Severity | 'off'>;
}

/** The field with a name, whatever its letter case. */
export function fieldNamed({ fields }: DocumentKind, name: string): FieldRule | undefined {
  const exact = fields.get(name);
  if (exact) return exact;
  const lower = name.toLowerCase();
  return [...fields.values()].find((field) => field.name.toLowerCase() === lower);
}

/** The values that a field may have; empty allows any. Those of the stage are the stages. */
export function allowedValues(
  { name, values }: FieldRule,
  { stageField, ladder, closed }: DocumentKind,
): readonly string[] {
  return name === stageField && values.length === 0 ? [...ladder.ranks.keys(), ...closed] : values;
}
