import { isJsonObject } from '@slipway/api-machinery/json/json-value';
import { itemSchema, type JsonSchema, propertySchema, valueSchema } from '@slipway/api-machinery/schema/json-schema';
import { stringifyJson } from '@slipway/kube';
import { defaultedProperties, isStrayNull } from './schema-defaults.js';
import { schemaFact } from './schema-fact.js';

/** What defaults add to a value: characters of its JSON, and values in it. */
export interface Growth {
  readonly characters: number;
  readonly values: number;
}

/**
 * Measures how much the defaults of a schema would add to a value, without adding them. It takes time for each value
 * that is there, not for those that would come: defaults within defaults can be more than fits into any memory.
 */
export function growthByDefaults(value: unknown, schema: JsonSchema): Growth {
  const sum = new Sum();
  addGrowth(value, schema, sum);
  return sum;
}

class Sum implements Growth {
  characters = 0;
  values = 0;

  add({ characters, values }: Growth, times = 1): void {
    this.characters += times * characters;
    this.values += times * values;
  }
}

function addGrowth(value: unknown, schema: JsonSchema, sum: Sum): void {
  if (typeof value !== 'object' || value === null || !hasDefaults(schema)) return;
  if (Array.isArray(value)) {
    const items = itemSchema(schema);
    if (!items || !hasDefaults(items)) return;
    for (const element of value) addValue(element, items, sum);
    return;
  }
  if (!isJsonObject(value)) return;
  sum.add(allProperties(schema));
  for (const name of Object.keys(value)) {
    const inner = propertySchema(schema, name) ?? valueSchema(schema);
    if (!inner) continue;
    const isProperty = inner !== valueSchema(schema);
    if (isProperty && inner.default !== undefined) sum.add(growthOfProperty(name, inner), -1);
    addValue(value[name], inner, sum);
  }
}

function addValue(value: unknown, schema: JsonSchema, sum: Sum): void {
  if (!isStrayNull(value, schema)) addGrowth(value, schema, sum);
  else if (schema.default !== undefined) {
    sum.add(growthOfDefault(schema));
    sum.add(aNull, -1);
  }
}

const aNull: Growth = { characters: 4, values: 1 };

const hasDefaults = schemaFact((schema) => schema.default !== undefined);

/** Of an object that has none of them. */
const allProperties = remembered((schema) => {
  const sum = new Sum();
  for (const [name, property] of defaultedProperties(schema)) sum.add(growthOfProperty(name, property));
  return sum;
});

function growthOfProperty(name: string, property: JsonSchema): Growth {
  const { characters, values } = growthOfDefault(property);
  return { characters: characters + name.length + quotesAndCommas, values };
}

const quotesAndCommas = 4;

/** The default of a schema, with all that is filled in within. */
const growthOfDefault = remembered((schema) => {
  const sum = new Sum();
  sum.add({ characters: stringifyJson(schema.default).length, values: countValues(schema.default) });
  addGrowth(schema.default, schema, sum);
  return sum;
});

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((count, inner) => count + countValues(inner), 1);
}

function remembered(find: (schema: JsonSchema) => Growth): (schema: JsonSchema) => Growth {
  const known = new WeakMap<JsonSchema, Growth>();
  return (schema) => {
    const before = known.get(schema);
    if (before) return before;
    const found = find(schema);
    known.set(schema, found);
    return found;
  };
}
