/** A structural schema of a CustomResourceDefinition, as JSON. */
export type Schema = Readonly<Record<string, unknown>>;

type Extra = Readonly<Record<string, unknown>>;

export function text(description: string, extra: Extra = {}): Schema {
  return { type: 'string', description, ...extra };
}

export function oneOf(values: readonly string[], description: string, extra: Extra = {}): Schema {
  return { type: 'string', enum: values, description, ...extra };
}

export function integer(description: string, extra: Extra = {}): Schema {
  return { type: 'integer', description, ...extra };
}

export function number(description: string, extra: Extra = {}): Schema {
  return { type: 'number', description, ...extra };
}

/** `3` or `25%`; `extra` says what a text may be. */
export function intOrString(description: string, extra: Extra = {}): Schema {
  return {
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    description,
    ...extra,
  };
}

export function flag(description: string, extra: Extra = {}): Schema {
  return { type: 'boolean', description, ...extra };
}

export function time(description: string): Schema {
  return { type: 'string', format: 'date-time', description };
}

export function list(items: Schema, description: string, extra: Extra = {}): Schema {
  return { type: 'array', items, description, ...extra };
}

/** Fields are optional unless they are named in `required`. */
export function object(
  properties: Readonly<Record<string, Schema>>,
  description: string,
  required: readonly string[] = [],
  extra: Extra = {},
): Schema {
  return { type: 'object', description, properties, ...(required.length > 0 && { required }), ...extra };
}

/** Any JSON object; its reader knows what is in it. */
export function anyObject(description: string): Schema {
  return { type: 'object', description, 'x-kubernetes-preserve-unknown-fields': true };
}

/** Any JSON value. */
export function anyValue(description: string): Schema {
  return { description, 'x-kubernetes-preserve-unknown-fields': true };
}

/** `30s`, `1h30m`: a Go duration. */
export function duration(description: string): Schema {
  return text(description, { pattern: '^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$', maxLength: 32 });
}

/** Conditions, one per type. */
export const conditions: Schema = list(
  object(
    {
      type: text('What it is about.'),
      status: oneOf(['True', 'False', 'Unknown'], 'Whether it is so.'),
      reason: text('One word for why.'),
      message: text('The same for people.'),
      observedGeneration: integer('Generation of the spec it was found for.'),
      lastTransitionTime: time('Since when the status is what it is.'),
    },
    'One thing that is so, or not.',
    ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
  ),
  'What is so, and why.',
  { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] },
);
