interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/**
 * Leaves a field out of the published schemas, in `schemas` and nowhere else: `spec.a.b` or
 * `spec.list[*].b` of the schema called `root`. Schemas are shared by kinds, and so is what is left out.
 */
export function hideField(schemas: Record<string, unknown>, root: string, path: string): void {
  const steps = path.split('.');
  let name: string | undefined = root;
  for (const step of steps.slice(0, -1)) {
    const property: Schema | undefined = schemaOf(schemas, name)?.properties?.[step.replace(/\[\*\]$/, '')];
    name = referred(step.endsWith('[*]') ? property?.items : property);
  }
  const parent = schemaOf(schemas, name);
  const field = steps.at(-1) ?? '';
  if (!name || !parent?.properties?.[field]) return;
  const { [field]: _hidden, ...properties } = parent.properties;
  schemas[name] = { ...parent, properties };
}

function schemaOf(schemas: Readonly<Record<string, unknown>>, name: string | undefined): Schema | undefined {
  return name === undefined ? undefined : (schemas[name] as Schema | undefined);
}

/** The name of the schema that a property is of. */
function referred(property: Schema | undefined): string | undefined {
  const reference = property?.$ref ?? property?.allOf?.[0]?.$ref;
  return reference?.slice(reference.lastIndexOf('/') + 1);
}
