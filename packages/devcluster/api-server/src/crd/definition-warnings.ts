import { stringFormats } from '@slipway/api-machinery/schema/formats';
import { visitSchemas } from '@slipway/api-machinery/schema/json-schema';
import type { CustomResourceDefinition } from './definition-object.js';

/** Returns the warnings for the client that writes a valid CustomResourceDefinition. */
export function definitionWarnings({ spec }: CustomResourceDefinition): string[] {
  const formats = new Set<string>();
  for (const version of spec.versions ?? []) {
    const schema = version.schema?.openAPIV3Schema;
    if (!schema) continue;
    visitSchemas(schema, ({ format, type }) => {
      if (format && !isKnown(format, type)) formats.add(format);
    });
  }
  return [...formats].sort().map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function isKnown(format: string, type: string | undefined): boolean {
  if (type === 'integer') return format === 'int32' || format === 'int64';
  if (type === 'number') return format === 'float' || format === 'double';
  return (type === undefined || type === 'string') && stringFormats.has(format);
}
