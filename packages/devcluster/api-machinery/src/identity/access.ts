import type { User } from './user.js';

/** What a request wants to do, as far as permission for it goes. */
export type Access = ResourceAccess | PathAccess;

/** Something done to a resource that the API serves, or might serve. */
export interface ResourceAccess {
  readonly kind: 'resource';
  readonly verb: string;
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural name. */
  readonly resource: string;
  readonly subresource: string;
  /** '' at the cluster scope and across all namespaces. */
  readonly namespace: string;
  /** '' when no single object is meant. */
  readonly name: string;
  /** Field selector of a list or watch, as it was written. */
  readonly fieldSelector?: string;
}

/** A path beside the resources: `/healthz`, `/apis`. The verb is the method in lower case. */
export interface PathAccess {
  readonly kind: 'path';
  readonly verb: string;
  readonly path: string;
}

/** What an authorizer says. The reason may be empty; people read it behind a refusal, and in access reviews. */
export interface Decision {
  readonly allowed: boolean;
  readonly reason: string;
}

/** Decides who may do what. Answers at once: every request asks it. */
export interface Authorizer {
  authorize(user: User, access: Access): Decision;
  /** What a user may do in a namespace ('' = at the cluster scope only), as far as it can be listed. */
  rulesFor(user: User, namespace: string): UserRules;
}

/** Permissions as a list, and whether there are more that cannot be listed. */
export interface UserRules {
  readonly rules: readonly PolicyRule[];
  /** What kept the list from being complete. */
  readonly problems: readonly string[];
  readonly incomplete: boolean;
}

/** `PolicyRule` of rbac.authorization.k8s.io/v1: every list is a choice, and `*` stands for all. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  /** None = every name, and also where there is no name. */
  readonly resourceNames?: readonly string[];
  /** Paths; a `*` at the end stands for any rest. */
  readonly nonResourceURLs?: readonly string[];
}

/** The group whose members may do everything, whatever roles there are. */
export const masters = 'system:masters';
/** The groups of everybody who is known, and of everybody who is not. */
export const authenticated = 'system:authenticated';
export const unauthenticated = 'system:unauthenticated';
/** Who asks without any credentials. */
export const anonymous: User = { name: 'system:anonymous', groups: [unauthenticated] };
