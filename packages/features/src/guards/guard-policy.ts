import type { KubeObject, ResourceRef } from '@slipway/kube';
import { mutatingBinding, mutatingPolicy, ValidatingBinding, ValidatingPolicy } from '../api/admission-kinds.js';
import type { Feature, GuardMode } from '../api/feature.js';
import type { FeatureDefinitionSpec, Reference } from '../api/feature-definition.js';
import { labels } from '../api/group.js';
import { reachOf } from '../api/scope.js';
import { digest } from '../lifecycle/digest.js';
import { referencesOf } from '../references/embedding.js';
import { fieldPathText, parseFieldPath, pointerOf } from '../references/field-path.js';
import { fieldOf, type UsedField } from '../references/used-field.js';
import { matchExpression, onlyOldUses, type Ratchet, text, usesIt } from './usage-expression.js';

/** What may be used as a guard on this server. */
export interface Served {
  readonly validating: boolean;
  /** Version of MutatingAdmissionPolicy; undefined when it is not served. */
  readonly mutating?: string;
}

/** A policy and what puts it into force: both have the same name. */
export interface Guard {
  readonly policyKind: ResourceRef;
  readonly bindingKind: ResourceRef;
  readonly policy: KubeObject;
  readonly binding: KubeObject;
}

/** The guards of one feature. Objects of other kinds than these cannot use it for the first time. */
export interface Guards {
  readonly guards: readonly Guard[];
  /** References that no policy can watch over, each with the reason. */
  readonly unguarded: readonly string[];
}

/**
 * Makes the admission policies that keep a feature from being used anew while it
 * is turned off: one for each resource its definition refers to. They take no
 * parameters: parameters of custom kinds are not reliably found after restarts.
 */
export function guardsOf(feature: Feature, definition: FeatureDefinitionSpec, served: Served): Guards {
  const { mode = 'Deny', ratchet = 'InUse' } = feature.spec.guard ?? {};
  const references = referencesOf(definition);
  if (mode === 'None') return { guards: [], unguarded: [] };
  const open = references.filter(({ group: of }) => of === ValidatingPolicy.group);
  const resources = [...new Set(references.filter((one) => !open.includes(one)).map(resourceOf))];
  const reach = reachOf(definition, feature.metadata.namespace);
  const guards = resources.map((resource) => {
    const about = references.filter((reference) => resourceOf(reference) === resource);
    const name = guardName(feature, resource);
    return mode === 'Strip' && served.mutating !== undefined && about.every(isStrippable)
      ? stripping({ name, feature, references: about, reach }, served.mutating)
      : validating({ name, feature, references: about, reach }, mode, ratchet);
  });
  const unguarded = open.map(
    (reference) => `${resourceOf(reference)}: admission policies are not asked about themselves`,
  );
  return { guards, unguarded };
}

/** How the names of all guards begin, and what an API server says of a write that one of them denies contains. */
export const guardPrefix = 'slipway-guard-';

/** `slipway-guard-<namespace>-<name>-<hash>`: a policy of one feature and one resource, at most 63 characters. */
export function guardName({ metadata: { namespace = '', name = '' } }: Feature, resource: string): string {
  const readable = `${guardPrefix}${namespace}-${name}`.replaceAll('.', '-').slice(0, 54).replace(/-+$/, '');
  return `${readable}-${digest([namespace, name, resource]).slice(0, 8)}`;
}

/** Labels by which the guards of a feature are found. */
export function guardLabels({ metadata: { namespace = '', name = '' } }: Feature): Record<string, string> {
  return { [labels.guardNamespace]: namespace, [labels.guard]: name };
}

/** As a label selector; of all guards when no feature is given. */
export function guardSelector(feature?: Feature): string {
  if (!feature) return labels.guard;
  return Object.entries(guardLabels(feature))
    .map(([label, value]) => `${label}=${value}`)
    .join(',');
}

/** One guard: about which references, in which namespace, or in all. */
interface Draft {
  readonly name: string;
  readonly feature: Feature;
  readonly references: readonly Reference[];
  readonly reach: string | undefined;
}

function validating({ name, feature, references, reach }: Draft, mode: GuardMode, ratchet: Ratchet): Guard {
  const validations = references.map((reference) => {
    const uses = onlyOldUses(fieldOf(reference), ratchet);
    const match = matchExpression(reference.match);
    return {
      expression: match ? `!(${match}) || (${uses})` : uses,
      message: refusal(feature, reference),
      messageExpression: `${text(`${refusal(feature, reference)}; it was asked for `)} + object.metadata.?name.orValue('a new object')`,
    };
  });
  const policy = {
    ...headOf(ValidatingPolicy, name, feature),
    spec: { failurePolicy: 'Fail', ...matchOf(references, reach), validations },
  };
  const validationActions = mode === 'Warn' ? ['Warn', 'Audit'] : ['Deny', 'Audit'];
  const binding = { ...headOf(ValidatingBinding, name, feature), spec: { policyName: name, validationActions } };
  return { policyKind: ValidatingPolicy, bindingKind: ValidatingBinding, policy, binding };
}

/** Takes the field out of what is written, as an API server with the gate off does. */
function stripping({ name, feature, references, reach }: Draft, version: string): Guard {
  const mutations = references.map((reference) => {
    const field = fieldOf({ ...reference, path: reference.path ?? '' }) as UsedField;
    const pointer = pointerOf(field.path.flatMap((step) => (step.kind === 'field' ? [step.name] : [])));
    const isNew = [
      usesIt('object', field),
      `!(oldObject != null && ${usesIt('oldObject', field)})`,
      matchExpression(reference.match) ?? 'true',
    ].join(' && ');
    return {
      patchType: 'JSONPatch',
      jsonPatch: { expression: `${isNew} ? [JSONPatch{op: 'remove', path: ${text(pointer)}}] : []` },
    };
  });
  const [policyKind, bindingKind] = [mutatingPolicy(version), mutatingBinding(version)];
  const policy = {
    ...headOf(policyKind, name, feature),
    spec: {
      failurePolicy: 'Fail',
      reinvocationPolicy: 'IfNeeded',
      ...matchOf(references, reach),
      mutations,
    },
  };
  return {
    policyKind,
    bindingKind,
    policy,
    binding: { ...headOf(bindingKind, name, feature), spec: { policyName: name } },
  };
}

/** Only a field that is reached through maps can be named in a patch that does not look at the object. */
function isStrippable({ path }: Reference): boolean {
  return path !== undefined && parseFieldPath(path).every((step) => step.kind === 'field');
}

function headOf({ group: of, version, kind }: ResourceRef, name: string, feature: Feature) {
  const managed = { 'app.kubernetes.io/managed-by': 'slipway' };
  return { apiVersion: `${of}/${version}`, kind, metadata: { name, labels: { ...managed, ...guardLabels(feature) } } };
}

/**
 * Which writes a guard is asked about. A namespace selector lets objects of no namespace through to the policy, so
 * that the request itself must be in the namespace, too.
 */
function matchOf(references: readonly Reference[], reach: string | undefined) {
  const [first] = references;
  const resources = [...new Set(references.flatMap(writtenThrough))];
  const apiVersions = ['*'];
  const rule = { apiGroups: [first?.group ?? ''], apiVersions, operations: ['CREATE', 'UPDATE'], resources };
  const constraints = { matchPolicy: 'Equivalent', resourceRules: [rule] };
  if (reach === undefined) return { matchConstraints: constraints };
  const own = { key: 'kubernetes.io/metadata.name', operator: 'In', values: [reach] };
  return {
    matchConstraints: { ...constraints, namespaceSelector: { matchExpressions: [own] } },
    matchConditions: [{ name: 'in-its-namespace', expression: `request.namespace == ${text(reach)}` }],
  };
}

/** The resource, and the subresource through which its field is written, if that is another. */
function writtenThrough({ group: of, resource, path = '' }: Reference): readonly string[] {
  const isEphemeral = of === '' && resource === 'pods' && path.startsWith('spec.ephemeralContainers');
  return isEphemeral ? [resource, 'pods/ephemeralcontainers'] : [resource];
}

function refusal({ spec, metadata: { name, namespace } }: Feature, { path, resource }: Reference): string {
  const what =
    path === undefined ? `no new ${resource} may be made` : `${fieldPathText(parseFieldPath(path))} may not be set`;
  const flag = namespace === undefined ? '' : ` -n ${namespace}`;
  return `${what} while the feature ${spec.gate} is off or being turned off; to see why: slipway feature get ${name}${flag}`;
}

function resourceOf({ group: of, resource }: { readonly group: string; readonly resource: string }): string {
  return of === '' ? resource : `${resource}.${of}`;
}
