import type { KubeObject } from '@slipway/kube';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import type { Entry, Store } from '../storage/store.js';

/** One write on its way: decoded and defaulted, not yet validated. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE';
  readonly resource: ResourceDefinition;
  /** The subresource written, '' for the object itself. */
  readonly subresource: string;
  /** The object as it will be stored; hooks may change it. */
  readonly object: KubeObject;
  /** What is stored now, for an update. Must not be changed. */
  readonly old?: KubeObject | undefined;
}

/** What hooks may look up: synchronous, so that nothing comes between looking and writing. A `Store` is one. */
export interface AdmissionReader {
  latest(resource: string, namespace: string, name: string): Entry | undefined;
  readonly list: Store['list'];
}

/**
 * Changes or refuses a write. Runs after defaults and before `prepareForCreate`,
 * `prepareForUpdate` and validation, as mutating admission does.
 * @throws StatusError when the write is refused.
 */
export type AdmissionHook = (request: AdmissionRequest, reader: AdmissionReader) => void;

/** Runs hooks one after the other on every write. */
export function admissionChain(
  hooks: readonly AdmissionHook[],
  reader: AdmissionReader,
): (request: AdmissionRequest) => void {
  return (request) => {
    for (const hook of hooks) hook(request, reader);
  };
}
