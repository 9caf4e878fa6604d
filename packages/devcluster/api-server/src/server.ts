import { ManagedFieldsPool } from '@slipway/api-machinery/apply/managed-fields-pool';
import { startInSlices } from '@slipway/api-machinery/event-loop/run-in-slices';
import type { Authorizer } from '@slipway/api-machinery/identity/access';
import { type Random, systemRandom } from '@slipway/api-machinery/json/random';
import { isOnByDefault } from '@slipway/api-machinery/schema/message-table';
import { defaultVersion, minorOf } from '@slipway/api-machinery/schema/supported-versions';
import { type Clock, copyWith, systemClock } from '@slipway/kube';
import { noNodes } from '@slipway/kube-objects/node-connection/no-nodes';
import type { NodeConnection } from '@slipway/kube-objects/node-connection/node-connection';
import { openApiGate } from '@slipway/kube-objects/rules/gate-names';
import type { Store } from '@slipway/object-store/store';
import { accessControl } from './access.js';
import { admissionChain } from './admission/admission-chain.js';
import { requireNoEscalation } from './admission/rbac/no-escalation.js';
import { RemoteGroups, type RemoteGroupsDeps } from './aggregation/remote-groups.js';
import { answerRequest } from './answer-request.js';
import { type NewAdmissionPlugins, noPlugins } from './attributes/admission.js';
import { AuditRecord, type AuditSink } from './audit/audit-log.js';
import { authenticator, type StaticTokens, tokenChecker } from './auth/authenticate.js';
import { type AuthorizationMode, clusterAuthorizer } from './auth/cluster-authorizer.js';
import { RolePolicy } from './auth/rbac/role-policy.js';
import { ServiceAccountTokens } from './auth/tokens/service-account-tokens.js';
import { conversionBy } from './conversion/conversion.js';
import type { Core } from './core/core.js';
import { PodsByNode } from './core/pods-by-node.js';
import { Discovery } from './discovery/discovery.js';
import { type VersionInfo, versionInfo } from './discovery/version.js';
import { FlowControl } from './flow-control/flow-control.js';
import { RequestMetrics } from './metrics/request-metrics.js';
import { storageMetrics } from './metrics/storage-metrics.js';
import { type HealthCheck, standardChecks } from './nonresource/health.js';
import { Pages } from './nonresource/pages.js';
import { OpenApi } from './openapi/openapi.js';
import { DefinitionRegistry } from './registry/definition-registry.js';
import type { ResourceDefinition } from './registry/resource-definition.js';
import { servedIn } from './registry/served-in.js';
import { addressOf } from './request/address.js';
import type { ApiAnswer, ApiHandler } from './request/request.js';
import { errorAnswer } from './response/answers.js';
import { formatAnswer } from './response/format-answer.js';
import { WatchHub } from './watch/watch-hub.js';
import { findService } from './webhooks/find-service.js';
import { httpsPost } from './webhooks/https-post.js';

export interface ApiServerOptions {
  readonly store: Store;
  /** What is served; may change while the server runs. */
  readonly definitions: DefinitionRegistry | Iterable<ResourceDefinition>;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Value of an API server gate, false for one that it does not have. Default: `/openapi/v3` is served, and fields are those of the version. */
  readonly isEnabled?: (gate: string) => boolean;
  /** The rules of the served kinds about writes. Default: none. */
  readonly admission?: NewAdmissionPlugins;
  /** What `/version` claims. Default: the newest that is supported. */
  readonly version?: string;
  /** Beyond those the server has by itself. */
  readonly healthChecks?: readonly HealthCheck[];
  /** Who may do what. Default: what `authorizationModes` say. */
  readonly authorizer?: Authorizer;
  /** Authorizers that are asked, in order. Default: `Node` and `RBAC`. */
  readonly authorizationModes?: readonly AuthorizationMode[];
  /** Signs the tokens of service accounts: a private key as `TokenKey` takes it. Default: a new one. */
  readonly serviceAccountKey?: string;
  /** Issuer of those tokens. Default: that of a cluster. */
  readonly serviceAccountIssuer?: string | undefined;
  /** Reaches the kubelets. Default: none answers. */
  readonly nodes?: NodeConnection;
  /** Certificate and key, in PEM, that servers of other groups know this one by. Default: none is shown. */
  readonly proxyClient?: RemoteGroupsDeps['client'];
  /** Users by their bearer tokens. */
  readonly staticTokens?: StaticTokens;
  /** The flags it was started with, as `/flagz` shows them. `etcd-prefix` is what keys begin with in texts of the storage. */
  readonly flags?: () => Readonly<Record<string, string>>;
  /** More metrics, in the Prometheus text format: those of the gates. */
  readonly metrics?: () => string;
  /** How many requests may run at once, shared among the priority levels. Default 4,000, as large clusters have it. */
  readonly maxInFlight?: number;
  /** Where audit events go. Default: nowhere, and none are made. */
  readonly audit?: AuditSink | undefined;
}

/** An API server without a transport: bindings hand it requests and write its answers. */
export interface ApiServer extends ApiHandler {
  readonly definitions: DefinitionRegistry;
  readonly remotes: RemoteGroups;
  readonly version: VersionInfo;
  /** Says that the server is about to stop: it is not ready from now on, and every watch ends. */
  drain(): void;
}

/**
 * Serves the Kubernetes API over a store. Everything that reaches the server, over
 * TLS or in process, goes through `handle`.
 */
export function createApiServer(options: ApiServerOptions): ApiServer {
  const { store, clock = systemClock, random = systemRandom, version: claimed = defaultVersion } = options;
  const { isEnabled = defaultGates(claimed), flags = noFlags, audit } = options;
  const known =
    options.definitions instanceof DefinitionRegistry
      ? options.definitions
      : new DefinitionRegistry(options.definitions);
  const { served: definitions, close: closeDefinitions } = servedIn(known, claimed);
  const policy = new RolePolicy(store);
  const authorizer =
    options.authorizer ?? clusterAuthorizer(store, policy, minorOf(claimed), options.authorizationModes);
  const tokens = new ServiceAccountTokens({
    store,
    clock,
    key: options.serviceAccountKey,
    issuer: options.serviceAccountIssuer,
  });
  const checkToken = tokenChecker(tokens, options.staticTokens);
  const access = accessControl({ authenticate: authenticator(checkToken), authorizer, isEnabled });
  const flows = new FlowControl({ store, clock, seats: options.maxInFlight ?? 4_000 });
  const hooks = [requireNoEscalation(authorizer, policy)];
  const plugins = options.admission?.({ store, authorizer, clock, version: claimed }) ?? noPlugins;
  const https = httpsPost(clock);
  const find = findService(store);
  const webhooks = { post: https.post, find, newUid: () => random.uid() };
  const conversion = conversionBy(webhooks);
  const { between } = conversion;
  const admission = admissionChain({ hooks, plugins, store, definitions, authorizer, webhooks, between });
  const watches = new WatchHub({ store, clock, definitions, conversion });
  const core: Core = {
    store,
    definitions,
    clock,
    random,
    version: claimed,
    storagePrefix: flags()['etcd-prefix'] ?? '/registry',
    isEnabled,
    admission,
    authorizer,
    tokens,
    checkToken,
    watches,
    conversion,
    podsByNode: new PodsByNode(store),
    nodes: options.nodes ?? noNodes,
    managedFields: new ManagedFieldsPool(),
  };
  const version = versionInfo(claimed);
  const remotes = new RemoteGroups({ store, definitions, find, clock, client: options.proxyClient });
  const discovery = new Discovery(definitions, remotes, version);
  const openapi = new OpenApi(definitions, remotes, `${version.emulationMajor}.${version.emulationMinor}`, isEnabled);
  const requests = new RequestMetrics(clock, definitions);
  const metrics = () =>
    requests.page() + flows.page() + storageMetrics(store, definitions) + (options.metrics?.() ?? '');
  let draining = false;
  const checks = standardChecks(options.healthChecks ?? [], () => draining);
  const pages = new Pages({ version, clock, tokens, isEnabled, flags, metrics, checks, random, definitions });

  const answer = answerRequest({ access, flows, core, remotes, pages, checks, openapi, discovery });

  return {
    definitions,
    remotes,
    version,
    async isDenied(asked) {
      try {
        access.requireAllowed(await access.identify(asked, addressOf(asked.path)));
        return false;
      } catch {
        return true;
      }
    },
    async handle(asked) {
      const address = addressOf(asked.path);
      const trail = audit && new AuditRecord(asked.headers['audit-id'] ?? random.uid(), clock);
      const request = trail ? { ...asked, trail } : asked;
      const startedMs = requests.began(request);
      let given: ApiAnswer;
      try {
        given = await answer(request, address, startedMs);
      } catch (error) {
        given = errorAnswer(error);
      }
      given = requests.ended(request, address, given, startedMs);
      if (trail) {
        audit?.(trail.event(request, address, given));
        given = copyWith(given, { headers: copyWith(given.headers, { 'audit-id': trail.id }) });
      }
      return startInSlices(formatAnswer(given, request, address.query));
    },
    drain() {
      draining = true;
      admission.close();
      https.close();
      policy.close();
      flows.close();
      watches.endAll();
      closeDefinitions();
    },
  };
}

const noFlags = (): Readonly<Record<string, string>> => ({});

function defaultGates(version: string): (gate: string) => boolean {
  return (gate) => gate === openApiGate || isOnByDefault(gate, minorOf(version));
}
