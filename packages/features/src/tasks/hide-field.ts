import { CustomResourceDefinition, type Kube, type KubeObject } from '@slipway/kube';
import type { TaskArgs } from '../api/feature.js';
import { labels } from '../api/group.js';
import { type FieldPath, type PathStep, parseFieldPath } from '../references/field-path.js';
import { referenceProblems } from '../references/reference-problems.js';
import type { Task } from './task.js';
import { argumentProblems } from './task-arguments.js';

/** A field of a custom resource: the name of the CRD, `widgets.acme.io`, and its path. */
export interface PublishedFieldArgs {
  readonly crd: string;
  readonly path: string;
}

type Schema = { properties?: Record<string, Schema>; items?: Schema; required?: string[]; [keyword: string]: unknown };

/** What was taken out of the schema of one version. */
interface Hidden {
  readonly version: string;
  readonly schema: Schema;
  readonly required: boolean;
}

/**
 * Takes a field out of the schema that a CRD publishes, so that `kubectl explain` and
 * editors no longer offer what is off. Only for the phase `AfterClean`: an API server
 * drops stored values of fields that the schema does not have, without a word. The
 * schema is kept in an annotation of the CRD, for `ShowField`.
 */
export const hideField: Task = {
  kind: 'HideField',
  check: (args, definition) => [
    ...fieldProblems('HideField', args),
    ...(definition.tasks?.off ?? definition.tasks?.false ?? [])
      .filter(({ kind, phase }) => kind === 'HideField' && phase !== 'AfterClean')
      .map(() => 'HideField drops values that are still stored, so it needs phase: AfterClean'),
  ],
  async run({ kube, feature, task, signal }) {
    const { crd, path } = task.args as unknown as PublishedFieldArgs;
    const key = annotationOf(feature.spec.gate);
    const changed = await changeCrd(kube, crd, signal, (draft) => {
      const hidden: Hidden[] = versionsOf(draft).flatMap(({ name, schema }) =>
        takeOut(name, schema, parseFieldPath(path)),
      );
      if (hidden.length === 0) return;
      const { annotations = {} } = draft.metadata;
      const before = JSON.parse(annotations[key] ?? '{}') as Record<string, readonly Hidden[]>;
      draft.metadata.annotations = { ...annotations, [key]: JSON.stringify({ ...before, [path]: hidden }) };
    });
    return { kind: 'done', ...(changed ? { objects: 1 } : { result: 'Skipped', objects: 0 }) };
  },
};

/** Puts a field back that `HideField` took out of the schema of a CRD. */
export const showField: Task = {
  kind: 'ShowField',
  check: (args) => fieldProblems('ShowField', args),
  async run({ kube, feature, task, signal }) {
    const { crd, path } = task.args as unknown as PublishedFieldArgs;
    const key = annotationOf(feature.spec.gate);
    const changed = await changeCrd(kube, crd, signal, (draft) => {
      const kept = JSON.parse(draft.metadata.annotations?.[key] ?? '{}') as Record<string, readonly Hidden[]>;
      const { [path]: hidden = [], ...others } = kept;
      for (const { name, schema } of versionsOf(draft)) {
        const own = hidden.find(({ version }) => version === name);
        if (own && schema) putBack(schema, parseFieldPath(path), own);
      }
      const { [key]: _used, ...annotations } = draft.metadata.annotations ?? {};
      draft.metadata.annotations =
        Object.keys(others).length > 0 ? { ...annotations, [key]: JSON.stringify(others) } : annotations;
    });
    return { kind: 'done', ...(changed ? { objects: 1 } : { result: 'Skipped', objects: 0 }) };
  },
};

/** Whether it was there and has changed. */
async function changeCrd(
  kube: Kube,
  name: string,
  signal: AbortSignal,
  change: (draft: KubeObject) => void,
): Promise<boolean> {
  const client = kube.resource(CustomResourceDefinition);
  const before = await client.find({ name }, signal);
  if (!before) return false;
  const after = await client.mutate({ name }, change, { signal });
  return after.metadata.resourceVersion !== before.metadata.resourceVersion;
}

function takeOut(version: string, schema: Schema | undefined, path: FieldPath): readonly Hidden[] {
  const [parent, name] = parentIn(schema, path);
  const own = parent?.properties?.[name];
  if (!parent?.properties || !own) return [];
  delete parent.properties[name];
  const required = parent.required?.includes(name) ?? false;
  if (required) parent.required = parent.required?.filter((one) => one !== name) ?? [];
  return [{ version, schema: own, required }];
}

function putBack(schema: Schema, path: FieldPath, hidden: Hidden): void {
  const [parent, name] = parentIn(schema, path);
  if (!parent || parent.properties?.[name]) return;
  parent.properties = { ...parent.properties, [name]: hidden.schema };
  if (hidden.required) parent.required = [...(parent.required ?? []), name];
}

/** The schema of the object that has the field, and the name of the field. */
function parentIn(schema: Schema | undefined, path: FieldPath): readonly [parent: Schema | undefined, name: string] {
  const last = path.at(-1);
  const parent = path.slice(0, -1).reduce(childOf, schema);
  return [last?.kind === 'field' ? parent : undefined, last?.kind === 'field' ? last.name : ''];
}

function childOf(schema: Schema | undefined, step: PathStep): Schema | undefined {
  return step.kind === 'field' ? schema?.properties?.[step.name] : schema?.items;
}

function versionsOf(crd: KubeObject): readonly { readonly name: string; readonly schema?: Schema }[] {
  const versions: readonly { name: string; schema?: { openAPIV3Schema?: Schema } }[] = crd.spec.versions ?? [];
  return versions.map(({ name, schema }) => ({
    name,
    ...(schema?.openAPIV3Schema && { schema: schema.openAPIV3Schema }),
  }));
}

function annotationOf(gate: string): string {
  return `${labels.hiddenFields}.${gate}`;
}

function fieldProblems(kind: string, args: TaskArgs): readonly string[] {
  const problems = argumentProblems(kind, args, {
    crd: { type: 'text', required: true },
    path: { type: 'text', required: true },
  });
  const { crd = '', path } = args as Partial<PublishedFieldArgs>;
  return problems.length > 0 ? problems : referenceProblems({ group: '', resource: crd, ...(path && { path }) });
}
