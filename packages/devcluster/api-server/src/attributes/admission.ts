import type { Authorizer } from '@slipway/api-machinery/identity/access';
import type { User } from '@slipway/api-machinery/identity/user';
import type { Clock, KubeObject } from '@slipway/kube';
import type { Entry, Store } from '@slipway/object-store/store';
import type { ResourceDefinition } from '../registry/resource-definition.js';

/** A request that changes something, as those who judge it see it. */
export interface Attributes {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  readonly resource: ResourceDefinition;
  /** What the object is: of the kind of the resource, or what its subresource takes, such as a Scale. */
  readonly kind: ResourceDefinition;
  /** The subresource written, '' for the object itself. */
  readonly subresource: string;
  readonly namespace: string;
  /** '' while the server is still to make a name. */
  readonly name: string;
  /** The object as it will be stored; absent for a delete. */
  readonly object?: KubeObject | undefined;
  /** What is stored now, absent for a create. Must not be changed. */
  readonly old?: KubeObject | undefined;
  readonly user: User;
  /** Nothing will be stored; whoever has effects elsewhere must not have them. */
  readonly dryRun: boolean;
  /** `CreateOptions`, `UpdateOptions` or `DeleteOptions` of the request. */
  readonly options: KubeObject;
  /** Tells the client something, whatever becomes of the request. */
  readonly warn: (text: string) => void;
  /** Adds an annotation to the audit event of the request; absent where no audit log is kept. */
  readonly annotate?: ((key: string, value: string) => void) | undefined;
}

/** One write on its way: decoded and defaulted, not yet validated. */
export interface AdmissionRequest extends Attributes {
  readonly operation: 'CREATE' | 'UPDATE';
  /** The object as it will be stored; hooks may change it. */
  readonly object: KubeObject;
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

/**
 * Rejects a write or a delete; changes nothing.
 * @throws StatusError when the request is rejected.
 */
export type AdmissionCheck = (request: Attributes, reader: AdmissionReader) => void;

/** Rules about writes that a server is handed: those of the kinds it serves. */
export interface AdmissionPlugins {
  /** Run first: before the hooks of a write, and before everything else of a delete. */
  readonly guards: readonly AdmissionCheck[];
  /** Run before policies and webhooks, in order, and again when those change the object. */
  readonly hooks: readonly AdmissionHook[];
  /** Run on the object as it would be stored, before validating policies and webhooks. */
  readonly validators: readonly AdmissionCheck[];
  /** Runs right before the object is stored. @throws StatusError */
  readonly charge: (request: Attributes) => void;
  readonly close: () => void;
}

/** Makes the rules for one server. */
export type NewAdmissionPlugins = (server: {
  readonly store: Store;
  readonly authorizer: Pick<Authorizer, 'authorize'>;
  readonly clock: Clock;
  /** The version of Kubernetes that the server claims to be. */
  readonly version: string;
}) => AdmissionPlugins;

/** No rules. */
export const noPlugins: AdmissionPlugins = { guards: [], hooks: [], validators: [], charge() {}, close() {} };

/**
 * What every write goes through. Each step is over when it returns, unless it returns a promise:
 * then others may have written meanwhile, and the caller must look again at what it computed from.
 */
export interface Admission {
  /**
   * Changes or refuses a write before it is validated. The object of the request is changed in place.
   * @throws StatusError, at once or by the promise.
   */
  mutate(request: AdmissionRequest): Promise<void> | undefined;
  /**
   * Judges a write as it would be stored, or a delete.
   * @throws StatusError, at once or by the promise.
   */
  validate(attributes: Attributes): Promise<void> | undefined;
  /**
   * The last word. Must be called right before the store gets the write, with nothing in between.
   * @throws StatusError
   */
  charge(attributes: Attributes): void;
  close(): void;
}
