import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { groupResource } from '@slipway/api-machinery/errors/status-errors';
import { type Resumable, runToCompletion } from '@slipway/api-machinery/event-loop/resumable';
import { defaultVersion } from '@slipway/api-machinery/schema/supported-versions';
import { builtInSchema } from '@slipway/api-machinery/schema/type-table';
import type { KubeObject } from '@slipway/kube';
import { dropDisabledFields, type GatedFields } from './gated-fields.js';
import type {
  Column,
  DefaultsContext,
  ResourceDefinition,
  StatusKeeps,
  Subresources,
  WriteContext,
} from './resource-definition.js';

/** What is particular of a built-in kind. Whatever is absent follows the common rules. */
export interface Declaration {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced: boolean;
  /** Message of the type table: `apps.v1.StatefulSet`. */
  readonly message: string;
  readonly subresources?: Subresources;
  /** Top-level fields whose change raises the generation. */
  readonly generation?: readonly string[];
  /** The first version of Kubernetes that counts generations of the kind; absent = all. */
  readonly generationSince?: string;
  readonly columns: readonly Column[];
  readonly selectableFields?: ResourceDefinition['selectableFields'];
  readonly gatedFields?: GatedFields;
  /** Defaults that the API server only sets while a gate is on, in place. */
  readonly gatedDefaults?: Readonly<Record<string, (object: KubeObject) => void>>;
  /** Defaults that depend on the time, or on the version of the server, in place. */
  readonly serverDefaults?: (object: KubeObject, context: DefaultsContext) => void;
  readonly nameProblems?: ResourceDefinition['nameProblems'];
  readonly nameRules?: ResourceDefinition['nameRules'];
  readonly defaults?: (object: KubeObject) => void;
  /** Status of a new object, for kinds with a status subresource; `{}` when absent. */
  readonly initialStatus?: (object: KubeObject, context: WriteContext) => Record<string, unknown>;
  /** Beyond initial status and gated fields. What belongs to another subresource is restored before. */
  readonly prepareForCreate?: (object: KubeObject, context: WriteContext) => void;
  readonly prepareForUpdate?: (object: KubeObject, old: KubeObject, context: WriteContext) => void;
  /** Rules that hold on create and on update. */
  readonly validate?: (object: KubeObject) => readonly FieldError[];
  /** In place of `validate`, for kinds whose objects take long for what they hold: the same with rests. */
  readonly validating?: (object: KubeObject) => Resumable<readonly FieldError[]>;
  /** What new objects must not have beyond that. */
  readonly validateCreate?: (object: KubeObject) => readonly FieldError[];
  /** Rules about what an update of the object may change, for kinds that report these first. */
  readonly validateChange?: (object: KubeObject, old: KubeObject) => readonly FieldError[];
  /** Rules that depend on a gate: `isOn` is its value, and `old` is what an update replaces. */
  readonly gatedRules?: ResourceDefinition['gatedRules'];
  /** Rules about what an update may change. */
  readonly validateUpdate?: (
    object: KubeObject,
    old: KubeObject,
    subresource: string,
    version: string,
  ) => readonly FieldError[];
  /** Warnings about an accepted object, when it is created, and when it is updated as a whole. */
  readonly warnings?: (object: KubeObject, old?: KubeObject) => readonly string[];
  readonly gracePeriodSeconds?: ResourceDefinition['gracePeriodSeconds'];
  readonly timeToLiveMs?: number;
  readonly verbs?: ResourceDefinition['verbs'];
  /** Rows of tables do not begin with the name, as other kinds' do. */
  readonly namelessRows?: boolean;
  readonly rowOrder?: ResourceDefinition['rowOrder'];
  readonly returnsDeleted?: boolean;
  readonly hasNoUnsafeDelete?: true;
  readonly createdByPut?: boolean;
  readonly errorGroup?: string;
  readonly mustNameVersion?: boolean;
  readonly orphansDependents?: boolean;
  readonly orphanWarning?: string;
  readonly statusKeeps?: StatusKeeps;
  readonly resetFields?: ResourceDefinition['resetFields'];
  readonly deprecationWarning?: string;
  /** The first version of Kubernetes that serves it, such as `1.34`; absent = all that a server may claim to be. */
  readonly since?: string;
  /** The last one; absent = all later ones. */
  readonly lastIn?: string;
  readonly createsPart?: ResourceDefinition['createsPart'];
  /** Storage key of the kind that this one is a view of. */
  readonly storedAs?: string;
  readonly storageVersion?: ResourceDefinition['storageVersion'];
  readonly view?: ResourceDefinition['view'];
}

/** What kinds have in common that are never stored: nothing fills them in, checks them or lists them by itself. */
export const neverStored = {
  shortNames: [],
  categories: [],
  origin: 'built-in',
  storedAs: '',
  subresources: {},
  generationFields: [],
  applyDefaults: () => {},
  validateCreate: () => [],
  validateUpdate: () => [],
  selectableFields: {},
} as const satisfies Partial<ResourceDefinition>;

/** Turns a declaration into what the API server works with, filling in the rules that all built-in kinds share. */
export function defineResource(declaration: Declaration): ResourceDefinition {
  const { group, version, kind, plural, namespaced, message, subresources = {}, validating } = declaration;
  const validate = validating ? (object: KubeObject) => runToCompletion(validating(object)) : declaration.validate;
  const { shortNames = [], categories = [], generation = [], columns, selectableFields = {} } = declaration;
  const { nameProblems, warnings, gracePeriodSeconds, timeToLiveMs, verbs, view, namelessRows, returnsDeleted } =
    declaration;
  return {
    group,
    version,
    kind,
    plural,
    namespaced,
    shortNames,
    categories,
    columns,
    selectableFields,
    subresources,
    listKind: `${kind}List`,
    singular: kind.toLowerCase(),
    origin: 'built-in',
    storedAs: declaration.storedAs ?? groupResource({ group, plural }),
    schema: builtInSchema(message),
    message,
    generationFields: generation,
    ...(declaration.generationSince !== undefined && { generationSince: declaration.generationSince }),
    applyDefaults: declaration.defaults ?? (() => {}),
    ...((declaration.gatedDefaults || declaration.serverDefaults) && {
      applyServerDefaults: (object: KubeObject, context: DefaultsContext) =>
        applyServerDefaults(declaration, object, context),
    }),
    prepareForCreate: creating(declaration),
    prepareForUpdate: updating(declaration),
    validateCreate: (object) => [...(validate?.(object) ?? []), ...(declaration.validateCreate?.(object) ?? [])],
    validateUpdate: (object, old, subresource = '', version = defaultVersion) => [
      ...(subresource === '' ? (declaration.validateChange?.(object, old) ?? []) : []),
      // Other subresources leave alone what these rules are about, even if it broke them all along.
      ...(subresource === '' || subresource === 'scale' ? (validate?.(object) ?? []) : []),
      ...(declaration.validateUpdate?.(object, old, subresource, version) ?? []),
    ],
    ...(validating && { validating: validatingWith(declaration, validating) }),
    ...(declaration.gatedRules && { gatedRules: declaration.gatedRules }),
    ...(nameProblems && { nameProblems }),
    ...(declaration.nameRules && { nameRules: declaration.nameRules }),
    ...(warnings && {
      *warnings(object: KubeObject, old?: KubeObject) {
        yield;
        return warnings(object, old);
      },
    }),
    ...(gracePeriodSeconds && { gracePeriodSeconds }),
    ...(timeToLiveMs !== undefined && { timeToLiveMs }),
    ...(verbs && { verbs }),
    ...(view && { view }),
    ...(namelessRows && { namelessRows }),
    ...(returnsDeleted && { returnsDeleted }),
    ...(declaration.statusKeeps !== undefined && { statusKeeps: declaration.statusKeeps }),
    ...(declaration.resetFields && { resetFields: declaration.resetFields }),
    ...(declaration.mustNameVersion && { mustNameVersion: true }),
    ...(declaration.orphansDependents && { orphansDependents: true }),
    ...(declaration.orphanWarning !== undefined && { orphanWarning: declaration.orphanWarning }),
    ...(declaration.errorGroup !== undefined && { errorGroup: declaration.errorGroup }),
    ...(declaration.hasNoUnsafeDelete && { hasNoUnsafeDelete: true }),
    ...(declaration.createdByPut && { createdByPut: true }),
    ...(declaration.storageVersion !== undefined && { storageVersion: declaration.storageVersion }),
    ...(declaration.since !== undefined && { since: declaration.since }),
    ...(declaration.lastIn !== undefined && { lastIn: declaration.lastIn }),
    ...(declaration.createsPart && { createsPart: declaration.createsPart }),
    ...(declaration.rowOrder && { rowOrder: declaration.rowOrder }),
    ...(declaration.deprecationWarning !== undefined && { deprecationWarning: declaration.deprecationWarning }),
    ...(declaration.gatedFields && { gatedFields: declaration.gatedFields }),
  };
}

/** What `validateCreate` and `validateUpdate` find, with rests. */
function validatingWith(
  declaration: Declaration,
  validating: NonNullable<Declaration['validating']>,
): NonNullable<ResourceDefinition['validating']> {
  return {
    *create(object) {
      return [...(yield* validating(object)), ...(declaration.validateCreate?.(object) ?? [])];
    },
    *update(object, old, subresource, version) {
      const errors = subresource === '' || subresource === 'scale' ? yield* validating(object) : [];
      return [...errors, ...(declaration.validateUpdate?.(object, old, subresource, version) ?? [])];
    },
  };
}

function creating(declaration: Declaration): NonNullable<ResourceDefinition['prepareForCreate']> {
  return (object, context) => {
    dropDisabledFields(object, undefined, declaration.gatedFields ?? {}, context.isEnabled);
    declaration.prepareForCreate?.(object, context);
    if (declaration.subresources?.status) object.status = declaration.initialStatus?.(object, context) ?? {};
  };
}

function updating(declaration: Declaration): NonNullable<ResourceDefinition['prepareForUpdate']> {
  return (object, old, context) => {
    dropDisabledFields(object, old, declaration.gatedFields ?? {}, context.isEnabled);
    declaration.prepareForUpdate?.(object, old, context);
  };
}

function applyServerDefaults(
  { gatedDefaults = {}, serverDefaults }: Declaration,
  object: KubeObject,
  context: DefaultsContext,
): void {
  serverDefaults?.(object, context);
  for (const [gate, applyDefaults] of Object.entries(gatedDefaults)) if (context.isEnabled(gate)) applyDefaults(object);
}

/** Takes a field back to what it was. */
export function restore<T extends object>(object: T, old: Readonly<T>, field: keyof T): void {
  if (old[field] === undefined) delete object[field];
  else object[field] = old[field];
}
