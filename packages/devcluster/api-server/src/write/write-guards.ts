import { badRequest, forbidden, notFound } from '@slipway/api-machinery/errors/status-errors';
import type { KubeObject } from '@slipway/kube';
import type { Call, Core } from '../core/core.js';

/**
 * The namespace of an object that is being written must be that of the URL, or absent.
 *
 * @throws StatusError BadRequest.
 */
export function matchNamespace(call: Call, object: KubeObject): void {
  if (!call.definition.namespaced) {
    delete object.metadata.namespace;
    return;
  }
  const given = object.metadata.namespace;
  if (given !== undefined && given !== '' && given !== call.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  object.metadata.namespace = call.namespace;
}

/**
 * The name of an object that is being updated must be that of the URL.
 *
 * @throws StatusError BadRequest.
 */
export function matchName(call: Call, object: KubeObject): void {
  const given = object.metadata.name;
  if (given === undefined || given === '') {
    throw badRequest(`the name of the object (${call.name} based on URL) was undeterminable: name must be provided`);
  }
  if (given !== call.name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${call.name})`);
  }
}

const namespaces = { group: '', plural: 'namespaces' };

/**
 * Nothing is created in a namespace that is not there or is going away. A server
 * that does not serve namespaces has none to check.
 *
 * @throws StatusError NotFound or Forbidden.
 */
export function requireActiveNamespace(core: Core, call: Call, object: KubeObject): void {
  if (!call.definition.namespaced || !core.definitions.find('', 'v1', 'namespaces')) return;
  const namespace = core.store.latest('namespaces', '', call.namespace)?.object;
  if (!namespace) throw notFound(namespaces, call.namespace);
  if (!namespace.metadata.deletionTimestamp && namespace.status?.phase !== 'Terminating') return;
  const why = `unable to create new content in namespace ${call.namespace} because it is being terminated`;
  throw forbidden(call.definition, object.metadata.name ?? '', why, [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${call.namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ]);
}

const immortal = ['default', 'kube-system', 'kube-public'];

/**
 * Some namespaces stay.
 *
 * @throws StatusError Forbidden.
 */
export function requireDeletable(call: Call): void {
  if (call.definition.group !== '' || call.definition.plural !== 'namespaces') return;
  if (immortal.includes(call.name)) throw forbidden(namespaces, call.name, 'this namespace may not be deleted');
}
