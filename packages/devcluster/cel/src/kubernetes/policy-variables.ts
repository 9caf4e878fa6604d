import type { Variable } from '../checker/known.js';
import { type Compiled, compileExpression, type Variables } from '../compile-expression.js';
import { authorizerType, resourceCheckType } from '../library/authorizer.js';
import { bool, type CelType, dyn, int, listOf, mapOf, string, timestamp } from '../values/cel-type.js';
import { patchStructs } from './patch-types.js';

/** What the expressions of one policy or webhook may speak about, beyond the request and its objects. */
export interface Speaking {
  /** The policy has parameters. */
  readonly hasParams: boolean;
  /** Messages cannot ask about permissions. */
  readonly hasAuthorizer: boolean;
  /** The expression makes a patch, so it can make objects. */
  readonly makesPatch?: boolean;
  /** Types of the variables that the policy declares. */
  readonly declared?: ReadonlyMap<string, CelType>;
  /** Types of the objects, where they are checked against a schema. */
  readonly objects?: { readonly object: Variable; readonly params?: Variable | undefined };
}

const open: Variable = { type: dyn };

/** The variables that expressions of admission may read, in the order in which evaluation gives them values. */
export function policyVariables({ hasParams, hasAuthorizer, declared, objects }: Speaking): Variables {
  const object = objects?.object ?? open;
  return {
    object,
    oldObject: object,
    namespaceObject: { type: namespaceType },
    request: { type: requestType },
    ...(hasParams ? { params: objects?.params ?? open } : {}),
    ...(hasAuthorizer
      ? { authorizer: { type: authorizerType }, 'authorizer.requestResource': { type: resourceCheckType } }
      : {}),
    ...(declared ? { variables: { type: objectType('kubernetes.variables', declared) } } : {}),
  };
}

/**
 * Compiles an expression that must have one of these types, or any if none is given.
 * A text when it cannot be: what validation of the policy says about it.
 */
export function compilePolicyExpression(
  source: string,
  speaking: Speaking,
  types: readonly CelType[],
): Compiled | string {
  const structs = speaking.makesPatch ? patchStructs : undefined;
  const compiled = compileExpression(source, policyVariables(speaking), structs);
  if (typeof compiled === 'string') return `compilation failed: ${compiled}`;
  if (types.length > 0 && !types.some((type) => shown(type) === shown(compiled.type))) {
    const wanted = types.length === 1 ? shown(types[0] ?? dyn) : `one of [${types.map(shown).join(' ')}]`;
    return `must evaluate to ${wanted} but got ${shown(compiled.type)}`;
  }
  return compiled.problem === undefined ? compiled : `program instantiation failed: ${compiled.problem}`;
}

/** A type as this complaint has it. */
function shown({ name, params }: CelType): string {
  const short = name === 'null' ? 'null_type' : name;
  return params.length === 0 ? short : `${short}(${params.map(shown).join(', ')})`;
}

function objectType(name: string, fields: ReadonlyMap<string, CelType>): CelType {
  return { name, params: [], fields };
}

function structure(name: string, fields: Readonly<Record<string, CelType>>): CelType {
  return objectType(`kubernetes.${name}`, new Map(Object.entries(fields)));
}

const texts = listOf(string);
const labels = mapOf(string, string);

const requestType = structure('AdmissionRequest', {
  kind: structure('GroupVersionKind', { group: string, version: string, kind: string }),
  resource: structure('GroupVersionResource', { group: string, version: string, resource: string }),
  subResource: string,
  requestKind: structure('GroupVersionKind', { group: string, version: string, kind: string }),
  requestResource: structure('GroupVersionResource', { group: string, version: string, resource: string }),
  requestSubResource: string,
  name: string,
  namespace: string,
  operation: string,
  userInfo: structure('UserInfo', { username: string, uid: string, groups: texts, extra: mapOf(string, texts) }),
  dryRun: bool,
  options: dyn,
});

const namespaceType = structure('Namespace', {
  metadata: structure('NamespaceMetadata', {
    name: string,
    generateName: string,
    namespace: string,
    labels,
    annotations: labels,
    UID: string,
    creationTimestamp: timestamp,
    deletionGracePeriodSeconds: int,
    deletionTimestamp: timestamp,
    generation: int,
    resourceVersion: string,
    finalizers: texts,
  }),
  spec: structure('NamespaceSpec', { finalizers: texts }),
  status: structure('NamespaceStatus', {
    conditions: listOf(
      structure('NamespaceCondition', {
        status: string,
        type: string,
        lastTransitionTime: timestamp,
        message: string,
        reason: string,
      }),
    ),
    phase: string,
  }),
});
