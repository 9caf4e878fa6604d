import { goQuoted } from '@slipway/api-machinery/errors/go-quoted';
import { badRequest } from '@slipway/api-machinery/errors/status-errors';
import { shippedTable } from '@slipway/api-machinery/schema/message-table';
import { builtInSchema } from '@slipway/api-machinery/schema/type-table';
import { apiVersionOf, type KubeObject } from '@slipway/kube';
import { internalPackage } from '../registry/internal-package.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';

/** Where Kubernetes 1.37 keeps its kinds, as its messages name it. */
export const scheme = 'pkg/runtime/scheme.go:111';

/** Kinds of every group and version. */
const metaKinds: readonly string[] = [
  ...['Status', 'DeleteOptions', 'ListOptions', 'GetOptions', 'CreateOptions', 'UpdateOptions', 'PatchOptions'],
  'WatchEvent',
];

let messages: ReadonlyMap<string, string> | undefined;

/** The message of a built-in kind in the type table; undefined when there is no such kind. */
function messageOf(apiVersion: string, kind: string): string | undefined {
  messages ??= new Map(
    Object.entries(shippedTable().head.kinds).map(([id, [group, version, name]]) => [
      `${group === '' ? version : `${group}/${version}`} ${name}`,
      id,
    ]),
  );
  const written = `${apiVersion} ${kind}`;
  return messages.get(unserved.get(written) ?? written);
}

/** Kinds of versions that Kubernetes knows and no longer serves, and what they became. */
const unserved: ReadonlyMap<string, string> = new Map([
  ...['CustomResourceDefinition', 'CustomResourceDefinitionList', 'ConversionReview'].map(
    (kind) => [`apiextensions.k8s.io/v1beta1 ${kind}`, `apiextensions.k8s.io/v1 ${kind}`] as const,
  ),
  ...['apps/v1beta1', 'apps/v1beta2', 'extensions/v1beta1'].map(
    (version) => [`${version} Scale`, 'autoscaling/v1 Scale'] as const,
  ),
  ['policy/v1beta1 Eviction', 'policy/v1 Eviction'],
]);

/**
 * Requires that the body of a write of a built-in kind is of that kind. Kubernetes decodes a body as what it says it
 * is, and then finds that it is not what belongs there.
 *
 * @throws StatusError BadRequest
 */
export function requireBuiltInKind(definition: ResourceDefinition, object: KubeObject): void {
  const { apiVersion, kind } = object;
  const expected = apiVersionOf(definition);
  if (kind === definition.kind && [expected, ...(definition.olderVersions ?? [])].includes(apiVersion)) return;
  const version = apiVersion.slice(apiVersion.lastIndexOf('/') + 1);
  const refuse = (why: string) =>
    badRequest(`${kind} in version ${goQuoted(version)} cannot be handled as a ${definition.kind}: ${why}`);
  const unknown = unknownKind(apiVersion, kind);
  if (unknown !== undefined) throw refuse(unknown);
  const isOtherVersion =
    kind === definition.kind &&
    (groupOf(apiVersion) === definition.group || unserved.get(`${apiVersion} ${kind}`) === `${expected} ${kind}`);
  const message = messageOf(apiVersion, kind);
  if (message !== undefined) admitAs(message, object, definition.kind, version);
  if (isOtherVersion) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
  }
  throw refuse(
    `converting (${version}.${kind}) to (${internalPackage(definition)}.${definition.kind}): unknown conversion`,
  );
}

/** Returns the error about a kind that Kubernetes does not have; undefined when it has it. */
export function unknownKind(apiVersion: string, kind: string): string | undefined {
  if (metaKinds.includes(kind) || messageOf(apiVersion, kind) !== undefined) return undefined;
  // An empty group is not written.
  const version = goQuoted(apiVersion.replace(/^\//, ''));
  return `no kind ${goQuoted(kind)} is registered for version ${version} in scheme "${scheme}"`;
}

function admitAs(message: string, object: KubeObject, kind: string, version: string): void {
  try {
    builtInSchema(message).admit(object);
  } catch (error) {
    const why = (error as Error).message.replace(/^\w+ in version "\w+" cannot be handled as a \w+: /, '');
    throw badRequest(`${object.kind} in version ${goQuoted(version)} cannot be handled as a ${kind}: ${why}`);
  }
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}
