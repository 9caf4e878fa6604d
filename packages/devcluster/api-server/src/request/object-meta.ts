import { appendErrors } from '@slipway/api-machinery/errors/append-errors';
import { invalidBecause } from '@slipway/api-machinery/errors/field-checks';
import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import {
  labelProblems,
  pathSegmentProblems,
  qualifiedNameProblems,
  subdomainProblems,
} from '@slipway/api-machinery/errors/names';
import { minorOf } from '@slipway/api-machinery/schema/supported-versions';
import type { KubeObject, ObjectMeta } from '@slipway/kube';
import { annotationProblems, labelMapProblems } from '@slipway/kube-objects/rules/labels-and-annotations';
import type { ResourceDefinition } from '../registry/resource-definition.js';

/** Returns the errors in the metadata of an object that is being created. */
export function metadataProblems(definition: ResourceDefinition, object: KubeObject, version: string): FieldError[] {
  const meta = object.metadata;
  const errors: FieldError[] = [];
  const { nameProblems = subdomainProblems } = definition;
  if (definition.nameRules !== 'none' || minorOf(version) < 37) errors.push(...prefixProblems(definition, object));
  if (!meta.name) {
    errors.push({ type: 'Required', field: 'metadata.name', detail: 'name or generateName is required' });
  } else {
    errors.push(...invalidBecause('metadata.name', meta.name, nameProblems(meta.name, object)));
  }
  if (definition.namespaced) {
    errors.push(...invalidBecause('metadata.namespace', meta.namespace, labelProblems(meta.namespace ?? '')));
  }
  return [...errors, ...contentProblems(meta, version), ...finalizerProblems(definition, meta)];
}

/** Returns the errors of a generateName as the beginning of a name. */
function prefixProblems({ nameProblems = subdomainProblems }: ResourceDefinition, object: KubeObject) {
  const { generateName } = object.metadata;
  if (!generateName) return [];
  // The generated suffix consists of letters and digits, so a trailing dash is valid.
  const prefix = generateName.endsWith('-') ? `${generateName.slice(0, -1)}a` : generateName;
  return invalidBecause('metadata.generateName', generateName, nameProblems(prefix, object));
}

/** Returns the errors in the metadata of an update; fields of `old` that it left out are already in `object`. */
export function metadataUpdateProblems(
  definition: ResourceDefinition,
  object: KubeObject,
  old: KubeObject,
  version: string,
  subresource = '',
): FieldError[] {
  const { generateName } = object.metadata;
  const ofPath = generateName
    ? invalidBecause('metadata.generateName', generateName, pathSegmentProblems(generateName))
    : [];
  const changes = changeProblems(object.metadata, old.metadata);
  // Custom resources look at metadata in several places, and every place adds its causes.
  if (definition.origin === 'custom') {
    const content = [...ofPath, ...contentProblems(object.metadata, version)];
    return [...changes, ...content, ...changes, ...content, ...content];
  }
  const content = contentProblems(object.metadata, version);
  const finalizers = finalizerProblems(definition, object.metadata);
  const { nameRules } = definition;
  // The status of most kinds is checked without the names of its object.
  if (nameRules === 'create' || nameRules === 'none' || subresource === 'status')
    return [...ofPath, ...content, ...changes, ...finalizers];
  const ofName = prefixProblems(definition, object);
  if (nameRules === 'last') return [...ofPath, ...content, ...changes, ...finalizers, ...ofName];
  return [...ofName, ...ofPath, ...content, ...changes, ...finalizers];
}

function changeProblems(meta: ObjectMeta, before: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  if (before.deletionTimestamp) {
    const added = (meta.finalizers ?? []).filter((finalizer) => !(before.finalizers ?? []).includes(finalizer));
    if (added.length > 0) {
      const list = `[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(', ')}}`;
      const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
      errors.push({ type: 'Forbidden', field: 'metadata.finalizers', detail });
    }
  }
  for (const field of immutable) {
    if (meta[field] !== before[field]) {
      errors.push({ type: 'Invalid', field: `metadata.${field}`, value: meta[field], detail: 'field is immutable' });
    }
  }
  return errors;
}

const immutable = ['name', 'namespace', 'uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

function contentProblems(meta: ObjectMeta, version: string): FieldError[] {
  const errors = [...labelMapProblems(meta.labels), ...annotationProblems(meta.annotations)];
  appendErrors(errors, ownerProblems(meta, minorOf(version) >= 37));
  for (const finalizer of meta.finalizers ?? []) {
    errors.push(...invalidBecause('metadata.finalizers', finalizer, qualifiedNameProblems(finalizer)));
  }
  if (meta.finalizers?.includes('orphan') && meta.finalizers.includes('foregroundDeletion')) {
    const detail = 'finalizer orphan and foregroundDeletion cannot be both set';
    errors.push({ type: 'Invalid', field: 'metadata.finalizers', value: meta.finalizers, detail });
  }
  return errors;
}

/** Up to 1.36 complaints name the list and not its element. */
function ownerProblems({ ownerReferences = [] }: ObjectMeta, namesElements: boolean): FieldError[] {
  const list = 'metadata.ownerReferences';
  const errors: FieldError[] = [];
  let controller: string | undefined;
  for (const [index, owner] of ownerReferences.entries()) {
    const field = namesElements ? `${list}[${index}]` : list;
    for (const member of ['apiVersion', 'kind', 'name', 'uid'] as const) {
      const at = `${field}.${member}`;
      if (owner[member]) {
        if (!namesElements || member !== 'apiVersion' || isVersion(owner.apiVersion)) continue;
        const detail = 'must be <group>/<version> or <version>';
        errors.push({ type: 'Invalid', field: at, value: owner.apiVersion, detail });
      } else if (namesElements) {
        errors.push({ type: 'Required', field: at, detail: 'must not be empty' });
      } else {
        const detail = `${member === 'apiVersion' ? 'version ' : ''}must not be empty`;
        errors.push({ type: 'Invalid', field: at, value: '', detail });
      }
    }
    if (owner.apiVersion === 'v1' && owner.kind === 'Event') {
      const detail = '/v1, Kind=Event is disallowed from being an owner';
      errors.push({ type: 'Invalid', field, value: owner, detail });
    }
    if (!owner.controller) continue;
    const named = `${owner.kind}/${owner.name}`;
    if (controller !== undefined) {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${named}`;
      errors.push({ type: 'Invalid', field: list, value: ownerReferences, detail });
    }
    controller ??= named;
  }
  return errors;
}

/** Whether a text is a version, or a group and a version. */
function isVersion(apiVersion: string): boolean {
  const parts = apiVersion.split('/');
  return parts.length <= 2 && parts.at(-1) !== '';
}

const standardFinalizers = ['kubernetes', 'orphan', 'foregroundDeletion'];

/** Groups whose kinds take any qualified name, as Kubernetes has it. */
const lenientGroups: readonly string[] = [
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'apiregistration.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'policy',
];

/** Most built-in kinds take no finalizers but the standard ones without a domain. */
function finalizerProblems(definition: ResourceDefinition, { finalizers = [] }: ObjectMeta): FieldError[] {
  const { origin, group, plural } = definition;
  if (origin === 'custom' || lenientGroups.includes(group) || (group === '' && plural === 'events')) return [];
  return finalizers.flatMap((finalizer, index) => {
    if (finalizer.includes('/') || standardFinalizers.includes(finalizer)) return [];
    const detail = 'name is neither a standard finalizer name nor is it fully qualified';
    return [{ type: 'Invalid' as const, field: `metadata.finalizers[${index}]`, value: finalizer, detail }];
  });
}
