import fc from 'fast-check';

/** An OpenAPI v3 schema, as far as values are generated from it. */
export interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
}

/** The schemas of a group version by name, as `/openapi/v3` has them. */
export type Schemas = Readonly<Record<string, Schema>>;

const texts = [
  ...['', 'a', 'b', 'A', 'a/b', 'example.dev/a', '192.0.2.7', '*', '-a', 'a_b', 'é', 'a'.repeat(64), 'a.b', 'a b'],
  ...[
    'Always',
    'Never',
    'None',
    'TCP',
    'main',
    'data',
    '/data',
    '../a',
    '5',
    '50%',
    'kubernetes.io/a',
    '::1',
    '10.0.0.0/8',
  ],
];
const quantities = ['1', '100m', '1Gi', '0', '-1', '0.5', '1e3', 'abc', '1.5Gi', '', '9999999999999999999'];
const times = ['2001-01-01T00:00:00Z', '2001-01-01T00:00:00.123456Z', '2001-01-01', 'a', ''];
const numbers = [0, 1, -1, 2, 5, 80, 65_535, 65_536, 2_147_483_647, 2_147_483_648, 1.5, 1e300];

/** Values where something else belongs. */
export const oddValue: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(
  ...[
    null,
    '',
    0,
    -1,
    1.5,
    true,
    'true',
    [],
    {},
    [null],
    [{}],
    [[]],
    { '': '' },
    { a: null },
    'a'.repeat(300),
    '\u0000',
    2 ** 53,
  ],
  ...[
    '9'.repeat(25),
    '2026-13-45T99:99:99Z',
    '100%',
    '101%',
    '5Ei',
    'é',
    '\ud800',
    '*',
    { $patch: 'delete' },
    { __proto_: 1 },
  ],
);

/** A value that mostly fits the schema: the server decides on the rest. */
export function fittingValue(schema: Schema, schemas: Schemas, depth = 2): fc.Arbitrary<unknown> {
  const { type, format, enum: allowed, properties, additionalProperties, items, name } = resolve(schema, schemas);
  if (name?.endsWith('.Quantity')) return fc.constantFrom<unknown>(...quantities, 1, 0.5);
  if (name?.endsWith('.IntOrString')) return fc.constantFrom<unknown>(1, 0, -1, '50%', '101%', 'http', '5');
  if (format === 'date-time') return fc.constantFrom(...times);
  if (allowed) return fc.constantFrom<unknown>(...allowed, 'Other');
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer' || type === 'number') return fc.constantFrom(...numbers);
  if (type === 'string') return format === 'byte' ? fc.constantFrom('YQ==', 'a', '') : fc.constantFrom(...texts);
  if (depth === 0) return fc.constantFrom<unknown>(...(type === 'array' ? [[]] : [{}]));
  if (type === 'array' && items) return fc.array(fittingValue(items, schemas, depth - 1), { maxLength: 2 });
  if (properties) {
    return fc
      .subarray(Object.keys(properties), { maxLength: Math.min(3, Object.keys(properties).length) })
      .chain((names) =>
        fc.record(
          Object.fromEntries(names.map((each) => [each, fittingValue(properties[each] ?? {}, schemas, depth - 1)])),
        ),
      );
  }
  if (typeof additionalProperties === 'object') {
    return fc.dictionary(fc.constantFrom(...texts), fittingValue(additionalProperties, schemas, depth - 1), {
      maxKeys: 2,
    });
  }
  return oddValue;
}

/** The schema itself, behind references; its name, where it has one. */
export function resolve(schema: Schema, schemas: Schemas): Schema & { readonly name?: string } {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (ref === undefined) return schema;
  const name = ref.slice(ref.lastIndexOf('/') + 1);
  return { ...resolve(schemas[name] ?? {}, schemas), name };
}

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
  readonly schema: Schema | undefined;
}

/** The object with one to three fields set from their schemas, replaced by something odd, or removed. */
export function variantOf<T extends object>(object: T, schema: Schema, schemas: Schemas): fc.Arbitrary<T> {
  const once = (before: T): fc.Arbitrary<T> => {
    const count = placesIn(before, schema, schemas).length;
    return fc.nat(Math.max(0, count - 1)).chain((index) => {
      const place = placesIn(before, schema, schemas)[index];
      if (!place) return fc.constant(before);
      const fitting = place.schema ? fittingValue(place.schema, schemas) : oddValue;
      const value = fc.oneof(
        { weight: 6, arbitrary: fitting },
        { weight: 1, arbitrary: oddValue },
        { weight: 1, arbitrary: fc.constant(undefined) },
      );
      return value.map((put) => {
        const copy = structuredClone(before);
        const at = placesIn(copy, schema, schemas)[index];
        if (at && put === undefined) delete at.holder[at.key];
        else if (at) at.holder[at.key] = structuredClone(put);
        return copy;
      });
    });
  };
  return fc.oneof(
    { weight: 3, arbitrary: once(object) },
    { weight: 2, arbitrary: once(object).chain(once) },
    { weight: 1, arbitrary: once(object).chain(once).chain(once) },
  );
}

/** Every field of an object, and every one that it could have. */
function placesIn(value: unknown, given: Schema | undefined, schemas: Schemas): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const schema = given && resolve(given, schemas);
  const holder = value as Record<string, unknown>;
  const fieldSchema = (key: string) =>
    Array.isArray(value)
      ? schema?.items
      : (schema?.properties?.[key] ??
        (typeof schema?.additionalProperties === 'object' ? schema.additionalProperties : undefined));
  const own = Object.keys(holder).flatMap((key) => [
    { holder, key, schema: fieldSchema(key) },
    ...placesIn(holder[key], fieldSchema(key), schemas),
  ]);
  const absent = Object.keys(schema?.properties ?? {}).filter((key) => !Object.hasOwn(holder, key));
  return [...own, ...absent.map((key) => ({ holder, key, schema: fieldSchema(key) }))];
}

/** An object with at most two of these fields, and at least so many. */
export function someOf(fewest: 0 | 1, fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<object> {
  return fc
    .subarray(Object.entries(fields), { minLength: fewest, maxLength: 2 })
    .chain((some) => fc.record(Object.fromEntries(some)));
}
