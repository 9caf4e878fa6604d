import type { User } from '@slipway/api-machinery/identity/user';
import { copyWith, type KubeObject } from '@slipway/kube';
import type { Admission, AdmissionRequest, Attributes } from '../attributes/admission.js';
import type { Call, Core } from '../core/core.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import type { DeleteOptions } from './delete-options.js';

/** The writer of requests that the server makes of another request. */
const noUser: User = { name: '', groups: [] };

/** Returns the admission of a call's writes. */
export function admissionFor(core: Core, call: Call): Admission {
  return call.isAdmitted ? alreadyAdmitted : core.admission;
}

const alreadyAdmitted: Admission = {
  mutate: () => undefined,
  validate: () => undefined,
  charge() {},
  close() {},
};

/**
 * Admits a request whose body is of a kind of its own, such as an Eviction. It may be changed.
 * @returns the call for whatever is written then
 */
export async function admitBody(
  core: Core,
  call: Call,
  kind: ResourceDefinition,
  body: KubeObject,
  dryRun: boolean,
): Promise<Call> {
  const request = writeAttributes('CREATE', call, { kind, object: body }, dryRun);
  await core.admission.mutate(request);
  await core.admission.validate(request);
  return copyWith(call, { isAdmitted: true });
}

/** Returns the attributes of a create or an update. Default kind of the objects: that of the resource. */
export function writeAttributes(
  operation: 'CREATE' | 'UPDATE',
  call: Call,
  objects: { readonly object: KubeObject; readonly old?: KubeObject; readonly kind?: ResourceDefinition },
  dryRun: boolean,
): AdmissionRequest {
  const kind = operation === 'CREATE' ? 'CreateOptions' : 'UpdateOptions';
  const fieldManager = call.query.get('fieldManager');
  const fieldValidation = call.query.get('fieldValidation');
  const options = optionsOf(kind, dryRun);
  if (fieldManager) options.fieldManager = fieldManager;
  if (fieldValidation) options.fieldValidation = fieldValidation;
  const name = call.name || (objects.object.metadata.name ?? '');
  return { operation, ...common(call, name), ...objects, name, dryRun, options };
}

/** What a delete names: one object, or a collection, whose objects admission sees without a name of the request. */
export type DeleteScope = 'object' | 'collection';

/** Returns the attributes of a delete. */
export function deleteAttributes(call: Call, old: KubeObject, options: DeleteOptions, scope: DeleteScope): Attributes {
  const { dryRun, gracePeriodSeconds, propagation, preconditions } = options;
  const given = optionsOf('DeleteOptions', dryRun);
  if (gracePeriodSeconds !== undefined) given.gracePeriodSeconds = gracePeriodSeconds;
  if (propagation !== undefined) given.propagationPolicy = propagation;
  if (Object.keys(preconditions).length > 0) given.preconditions = preconditions;
  return {
    operation: 'DELETE',
    ...common(call, call.name),
    subresource: '',
    name: scope === 'object' ? call.name : '',
    old,
    dryRun,
    options: given,
  };
}

function common({ definition, subresource, namespace, request, warn }: Call, name: string) {
  // A namespace lies in itself.
  const isNamespace = definition.group === '' && definition.plural === 'namespaces';
  const where = isNamespace ? name : namespace;
  const { trail } = request;
  return {
    resource: definition,
    kind: definition,
    subresource,
    namespace: where,
    user: request.user ?? noUser,
    warn,
    ...(trail && { annotate: (key: string, value: string) => trail.annotate(key, value) }),
  };
}

function optionsOf(kind: string, dryRun: boolean): KubeObject {
  return { kind, apiVersion: 'meta.k8s.io/v1', ...(dryRun ? { dryRun: ['All'] } : {}) } as KubeObject;
}
