import type { ManagedFieldsPool } from '@slipway/api-machinery/apply/managed-fields-pool';
import type { Authorizer } from '@slipway/api-machinery/identity/access';
import type { Random } from '@slipway/api-machinery/json/random';
import type { Clock } from '@slipway/kube';
import type { NodeConnection } from '@slipway/kube-objects/node-connection/node-connection';
import type { Store } from '@slipway/object-store/store';
import type { Admission } from '../attributes/admission.js';
import type { ServiceAccountTokens } from '../auth/tokens/service-account-tokens.js';
import type { Conversion } from '../conversion/conversion.js';
import type { DefinitionRegistry } from '../registry/definition-registry.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import type { Inquiry } from '../registry/review.js';
import type { Representation } from '../request/negotiate.js';
import type { Query } from '../request/query.js';
import type { AdmittedRequest } from '../request/request.js';
import type { WatchHub } from '../watch/watch-hub.js';
import type { PodsByNode } from './pods-by-node.js';

/** What every verb works with. */
export interface Core {
  readonly store: Store;
  readonly definitions: DefinitionRegistry;
  readonly clock: Clock;
  readonly random: Random;
  /** What the server claims to be, such as 1.34. */
  readonly version: string;
  /** What the keys of stored objects begin with, as the flag `--etcd-prefix` says it. */
  readonly storagePrefix: string;
  /** Value of an API server gate. */
  readonly isEnabled: (gate: string) => boolean;
  readonly admission: Admission;
  readonly authorizer: Authorizer;
  readonly tokens: ServiceAccountTokens;
  readonly checkToken: Inquiry['checkToken'];
  readonly watches: WatchHub;
  readonly conversion: Conversion;
  readonly podsByNode: PodsByNode;
  readonly nodes: NodeConnection;
  /** What many objects have alike of metadata.managedFields. */
  readonly managedFields: ManagedFieldsPool;
}

/** One request about a resource, read as far as its address and headers go. */
export interface Call {
  readonly request: AdmittedRequest;
  readonly definition: ResourceDefinition;
  /** '' for cluster-scoped resources, and for all namespaces. */
  readonly namespace: string;
  /** '' for collections. */
  readonly name: string;
  readonly subresource: string;
  readonly query: Query;
  readonly representation: Representation;
  /** Adds a warning to the answer, whatever the answer is. */
  readonly warn: (text: string) => void;
  /** The request went through admission as a whole, so what is written for it does not once more. */
  readonly isAdmitted?: boolean;
}
