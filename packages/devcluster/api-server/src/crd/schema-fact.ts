import { itemSchema, type JsonSchema, valueSchema } from '@slipway/api-machinery/schema/json-schema';

/**
 * Whether something is so of a schema or of any for what is inside its values. It is found out once for each schema, so
 * that values which a check has nothing to say of are not walked through.
 */
export function schemaFact(isSo: (schema: JsonSchema) => boolean): (schema: JsonSchema) => boolean {
  const known = new WeakMap<JsonSchema, boolean>();
  const isSoWithin = (schema: JsonSchema): boolean => {
    const before = known.get(schema);
    if (before !== undefined) return before;
    const inner = [...Object.values(schema.properties ?? {}), itemSchema(schema), valueSchema(schema)];
    const found = isSo(schema) || inner.some((one) => one !== undefined && isSoWithin(one));
    known.set(schema, found);
    return found;
  };
  return isSoWithin;
}
