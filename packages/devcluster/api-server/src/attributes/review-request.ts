import type { ResourceDefinition } from '../registry/resource-definition.js';
import type { Attributes } from './admission.js';
import { writtenAs } from './object-versions.js';

/**
 * A request as policies and webhooks are told of it: `AdmissionRequest` of
 * admission.k8s.io/v1, without its uid and its objects.
 * @param matched the version of the resource by which they want to hear of it
 */
export function reviewRequest(request: Attributes, matched: ResourceDefinition): Readonly<Record<string, unknown>> {
  const { resource, kind, subresource, name, namespace, operation, user, dryRun, options } = request;
  return {
    kind: kindOf(writtenAs(matched, request)),
    resource: resourceOf(matched),
    ...(subresource === '' ? {} : { subResource: subresource }),
    requestKind: kindOf(kind),
    requestResource: resourceOf(resource),
    ...(subresource === '' ? {} : { requestSubResource: subresource }),
    ...(name === '' ? {} : { name }),
    ...(namespace === '' ? {} : { namespace }),
    operation,
    userInfo: userInfo(user),
    dryRun,
    options,
  };
}

function kindOf({ group, version, kind }: ResourceDefinition) {
  return { group, version, kind };
}

function resourceOf({ group, version, plural }: ResourceDefinition) {
  return { group, version, resource: plural };
}

function userInfo({ name, groups, ...more }: Attributes['user']) {
  return { username: name, groups, ...more };
}
