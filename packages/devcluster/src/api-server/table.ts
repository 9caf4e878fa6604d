import type { KubeObject } from '@slipway/kube';
import type { Column } from '../registry/resource-definition.js';
import { badRequest } from '../registry/status-errors.js';
import type { Representation } from './negotiate.js';
import type { ListMeta } from './payloads.js';

/** What each row of a table carries of its object. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

/**
 * @throws StatusError BadRequest for a value that Kubernetes does not know.
 */
export function readIncludeObject(value: string | undefined): IncludeObject {
  if (value === undefined || value === '') return 'Metadata';
  if (value === 'None' || value === 'Metadata' || value === 'Object') return value;
  const shown = JSON.stringify(value);
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${shown}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

/** Rows for kubectl: what each object shows under the definition's columns. */
export interface TableStyle {
  readonly columns: readonly Column[];
  readonly includeObject: IncludeObject;
  /** Leaves out the NAME that rows otherwise begin with. */
  readonly nameless?: boolean;
  readonly version: Representation['version'];
  readonly nowMs: number;
}

/** A `Table` of objects. Without `headed` it has no column definitions: later events of a watch. */
export function tableOf(objects: readonly KubeObject[], metadata: ListMeta, style: TableStyle, headed = true) {
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${style.version}`,
    metadata,
    columnDefinitions: headed ? [...(style.nameless ? [] : [nameColumn]), ...style.columns.map(definitionOf)] : null,
    rows: objects.map((object) => rowOf(object, style)),
  };
}

/** Metadata and nothing else: `PartialObjectMetadata`. */
export function partialOf({ metadata }: Pick<KubeObject, 'metadata'>, version: Representation['version']): KubeObject {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata };
}

function rowOf(object: KubeObject, { columns, includeObject, nowMs, version, nameless }: TableStyle) {
  const values = columns.map((column) => column.cell(object, nowMs));
  const cells = nameless ? values : [object.metadata.name ?? '', ...values];
  if (includeObject === 'None') return { cells, object: null };
  return { cells, object: includeObject === 'Object' ? object : partialOf(object, version) };
}

function definitionOf({ name, type, format = '', description, priority }: Column) {
  return { name, type, format, description, priority };
}

// Columns carry the field's description in the words of the API documents.
const nameColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  description:
    'Name must be unique within a namespace. Is required when creating resources, although some resources may allow ' +
    'a client to request the generation of an appropriate name automatically. Name is primarily intended for creation ' +
    'idempotence and configuration definition. Cannot be updated. More info: ' +
    'https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names',
  priority: 0,
};
