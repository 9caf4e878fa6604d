import { UnmarshalError } from '@slipway/api-machinery/schema/unmarshal-error';
import { type KubeObject, StatusError } from '@slipway/kube';
import type { ResourceDefinition } from '../registry/resource-definition.js';

/**
 * Brings what an apply or a strategic merge made of an object of a built-in kind to its type, in place. Kubernetes converts
 * it rather than decode it, so that numbers beyond the range of their fields are taken.
 *
 * @throws StatusError BadRequest, whose cause is that of the schema
 */
export function admitConverted(
  { schema }: ResourceDefinition,
  object: KubeObject,
): { readonly unknown: readonly string[] } {
  try {
    return schema.admit(object);
  } catch (error) {
    if (!(error instanceof StatusError) || !isOutOfRange(error.cause)) throw error;
    schema.wrapIntegers?.(object);
    return schema.admit(object);
  }
}

function isOutOfRange(cause: unknown): boolean {
  if (!(cause instanceof UnmarshalError) || !cause.misfit) return false;
  return Number.isInteger(cause.misfit.value) && /^int\d\d$/.test(cause.misfit.type);
}
