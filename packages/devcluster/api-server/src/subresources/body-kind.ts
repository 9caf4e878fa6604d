import { builtInSchema } from '@slipway/api-machinery/schema/type-table';
import { neverStored } from '../registry/define-resource.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';

/**
 * A kind that exists only as the body of a subresource: it is decoded and
 * checked like any other, and never stored, listed or discovered by itself.
 * @param olderVersions in which it may come as well: `policy/v1beta1`
 */
export function bodyKind(
  group: string,
  version: string,
  kind: string,
  message: string,
  olderVersions: readonly string[] = [],
): ResourceDefinition {
  const singular = kind.toLowerCase();
  return {
    group,
    version,
    kind,
    listKind: `${kind}List`,
    plural: `${singular}s`,
    singular,
    namespaced: true,
    ...neverStored,
    schema: builtInSchema(message),
    olderVersions,
    columns: [],
  };
}
