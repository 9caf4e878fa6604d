import type { CustomResourceDefinition } from './definition-object.js';
import { numberFormats, stringFormats } from './formats.js';
import { visitSchemas } from './json-schema.js';

/** What the writer of a CustomResourceDefinition should know although it is accepted. */
export function definitionWarnings({ spec }: CustomResourceDefinition): string[] {
  const formats = new Set<string>();
  let rules = 0;
  let first = '';
  for (const version of spec.versions ?? []) {
    const schema = version.schema?.openAPIV3Schema;
    if (!schema) continue;
    visitSchemas(schema, (inner, path) => {
      const { format, type } = inner;
      if (format && !isKnown(format, type)) formats.add(format);
      const here = inner['x-kubernetes-validations']?.length ?? 0;
      if (here > 0 && rules === 0) first = `${version.name}: openAPIV3Schema${path}`;
      rules += here;
    });
  }
  const warnings = [...formats].sort().map((format) => `unrecognized format ${JSON.stringify(format)}`);
  if (rules > 0) {
    warnings.push(
      `x-kubernetes-validations are kept but not evaluated by this server yet: ${rules} ` +
        `${rules === 1 ? 'rule' : 'rules'}, the first at ${first}`,
    );
  }
  return warnings;
}

function isKnown(format: string, type: string | undefined): boolean {
  if (type === 'integer' || type === 'number') return numberFormats.has(format);
  return stringFormats.has(format) || (type === undefined && numberFormats.has(format));
}
