/** The part of a structural schema that values are held against here. */
export interface TestedSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, TestedSchema>>;
  readonly required?: readonly string[];
  readonly items?: TestedSchema;
}

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** Why an API server would reject a value by its schema, with the path; undefined when it would not. */
export function schemaProblem(schema: TestedSchema, value: unknown, at = ''): string | undefined {
  const { type, properties = {}, required = [], items } = schema;
  if (type !== undefined && !isOf(type, value)) return `${at} is no ${type}: ${JSON.stringify(value)}`;
  if (schema.enum && !schema.enum.includes(value)) return `${at} is none of ${schema.enum.join(', ')}`;
  if (typeof value === 'string') {
    if (schema.format === 'date-time' && !dateTime.test(value)) return `${at} is not a time: ${value}`;
    if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(value)) return `${at} has another pattern`;
    if (value.length > (schema.maxLength ?? Number.POSITIVE_INFINITY)) return `${at} is too long`;
  }
  if (typeof value === 'number' && value < (schema.minimum ?? Number.NEGATIVE_INFINITY)) return `${at} is too small`;
  if (Array.isArray(value)) {
    if (value.length > (schema.maxItems ?? Number.POSITIVE_INFINITY)) return `${at} has too many items`;
    return first(value.map((item, index) => items && schemaProblem(items, item, `${at}[${index}]`)));
  }
  if (typeof value !== 'object' || value === null) return undefined;
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return `${at}.${missing} is missing`;
  return first(
    Object.entries(value).map(([name, field]) => {
      const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return known && field !== undefined ? schemaProblem(known, field, `${at}.${name}`) : undefined;
    }),
  );
}

function isOf(type: string, value: unknown): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  // The types that are left are those of JavaScript.
  return typeof value === type;
}

function first(problems: readonly (string | undefined)[]): string | undefined {
  return problems.find((problem) => problem !== undefined);
}
