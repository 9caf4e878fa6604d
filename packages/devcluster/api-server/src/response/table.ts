import { badRequest } from '@slipway/api-machinery/errors/status-errors';
import { type KubeObject, stringifyJson } from '@slipway/kube';
import type { Column } from '../registry/resource-definition.js';
import type { Representation } from '../request/negotiate.js';
import type { Piece } from '../request/pieces.js';
import type { JsonPayload } from '../request/request.js';
import { metadataPiece } from './metadata-text.js';
import { type ListMeta, leanOf, longPayload, pieceOf, type Served } from './payloads.js';

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
  return { ...tableHead(metadata, style, headed), rows: objects.map((object) => rowOf(object, style)) };
}

/** A `Table` of any number of objects: rows are made as they are written, as of the moment that `style` says. */
export function tablePayload(items: readonly Served[], metadata: ListMeta, style: TableStyle): JsonPayload {
  return longPayload({
    head: tableHead(metadata, style, true),
    field: 'rows',
    items,
    encode: (item) => rowText(item, style),
    value: ({ object }) => rowOf(object, style),
  });
}

function tableHead(metadata: ListMeta, { version, nameless, columns }: TableStyle, headed: boolean) {
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${version}`,
    metadata,
    columnDefinitions: headed ? [...(nameless ? [] : [nameColumn]), ...columns.map(definitionOf)] : null,
  };
}

/** Metadata and nothing else: `PartialObjectMetadata`. */
export function partialOf({ metadata }: Pick<KubeObject, 'metadata'>, version: Representation['version']): KubeObject {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata };
}

function rowOf(object: KubeObject, style: TableStyle) {
  const { includeObject, version } = style;
  const cells = cellsOf(object, style);
  if (includeObject === 'None') return { cells, object: null };
  return { cells, object: includeObject === 'Object' ? object : partialOf(object, version) };
}

/** What encoding `rowOf` gives, from the text of the object. */
function rowText(item: Served, style: TableStyle): readonly Piece[] {
  const { includeObject, version } = style;
  const cells = `{"cells":${stringifyJson(cellsOf(leanOf(item), style))},"object":`;
  if (includeObject === 'None') return [cells, 'null}'];
  if (includeObject === 'Object') return [cells, pieceOf(item), '}'];
  return [`${cells}${partialHead(version)}`, metadataPiece(item), '}}'];
}

/** Encodes what `partialOf` returns. */
export function partialText(metadata: string, version: Representation['version']): string {
  return `${partialHead(version)}${metadata}}`;
}

function partialHead(version: Representation['version']): string {
  return `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${version}","metadata":`;
}

function cellsOf(object: KubeObject, { columns, nowMs, nameless }: TableStyle): unknown[] {
  const effort = { looks: 0 };
  const values = columns.map((column) => column.cell(object, nowMs, effort));
  return nameless ? values : [object.metadata.name ?? '', ...values];
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
