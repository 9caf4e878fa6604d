import type { Clock } from '@slipway/kube';
import type { AdmissionRequest } from '../admission/admission.js';
import type { DefinitionRegistry } from '../registry/definition-registry.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import type { Store } from '../storage/store.js';
import type { Representation } from './negotiate.js';
import type { Query } from './query.js';
import type { ApiRequest } from './request.js';
import type { WatchHub } from './watch/watch-hub.js';

/** What every verb works with. */
export interface Core {
  readonly store: Store;
  readonly definitions: DefinitionRegistry;
  readonly clock: Clock;
  readonly random: Random;
  /** Value of an API server gate. */
  readonly isEnabled: (gate: string) => boolean;
  /** Changes or refuses a write before it is validated. */
  readonly admit: (request: AdmissionRequest) => void;
  readonly watches: WatchHub;
}

/** What is drawn at random, so that tests can say what comes. */
export interface Random {
  uid(): string;
  /** Five characters for metadata.generateName. */
  suffix(): string;
  /** At least 0, below 1. */
  fraction(): number;
}

/** One request about a resource, read as far as its address and headers go. */
export interface Call {
  readonly request: ApiRequest;
  readonly definition: ResourceDefinition;
  /** '' for cluster-scoped resources, and for all namespaces. */
  readonly namespace: string;
  /** '' for collections. */
  readonly name: string;
  readonly subresource: string;
  readonly query: Query;
  readonly representation: Representation;
}
