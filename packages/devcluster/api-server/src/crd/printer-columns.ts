import { stringifyJson } from '@slipway/kube';
import { humanDuration } from '@slipway/kube-objects/rules/human-duration';
import type { Column } from '../registry/resource-definition.js';
import { type JsonPath, JsonPathError, parseJsonPath, valuesAt } from './json-path.js';

/** An entry of additionalPrinterColumns. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

/** The text that Kubernetes gives the column of creation times, which tools compare. */
export const ageDescription =
  'CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed ' +
  'to be set in happens-before order across separate operations. Clients may not set this value. It is represented ' +
  'in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: ' +
  'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata';

const age: PrinterColumn = {
  name: 'Age',
  type: 'date',
  description: ageDescription,
  jsonPath: '.metadata.creationTimestamp',
};

/** Columns of a custom kind; its age when it declares none. A path that cannot be read ends the list. */
export function printerColumns(declared: readonly PrinterColumn[] | undefined): Column[] {
  const columns: Column[] = [];
  for (const column of declared && declared.length > 0 ? declared : [age]) {
    let path: JsonPath;
    try {
      path = parseJsonPath(column.jsonPath);
    } catch (error) {
      if (error instanceof JsonPathError) return columns;
      throw error;
    }
    columns.push({
      name: column.name,
      type: column.type as Column['type'],
      format: column.format ?? '',
      description: column.description || `Custom resource definition column (in JSONPath format): ${column.jsonPath}`,
      priority: (column.priority ?? 0) as 0 | 1,
      cell: (object, nowMs, effort) => cell(column.type, valuesAt(path, object, effort).next().value, nowMs),
    });
  }
  return columns;
}

function cell(type: string, value: unknown, nowMs: number): ReturnType<Column['cell']> {
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'integer':
      if (typeof value === 'bigint') return value;
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' || typeof value === 'bigint' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date': {
      if (typeof value !== 'string') return null;
      const at = Date.parse(value);
      return Number.isNaN(at) ? '<invalid>' : humanDuration(nowMs - at);
    }
    default:
      return typeof value === 'string' ? value : stringifyJson(value);
  }
}
