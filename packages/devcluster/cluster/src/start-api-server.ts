import { systemRandom } from '@slipway/api-machinery/json/random';
import type { AuthorizationMode } from '@slipway/api-server/auth/cluster-authorizer';
import { processMetrics } from '@slipway/api-server/metrics/process-metrics';
import { DefinitionRegistry } from '@slipway/api-server/registry/definition-registry';
import { createApiServer } from '@slipway/api-server/server';
import { type Clock, type Logger, systemClock } from '@slipway/kube';
import { AddressRange } from '@slipway/kube-objects/rules/address-range';
import { builtInAdmission, type PluginChoice } from '@slipway/kubernetes-kinds/admission/built-in-admission';
import { builtInDefinitions } from '@slipway/kubernetes-kinds/kinds/catalogue';
import { memoryStore } from '@slipway/object-store/memory-store';
import { ApiServerProcess } from './api-server-process.js';
import { bootstrapObjects } from './bootstrap-objects.js';
import { certificatesIn, servingNames } from './certificates.js';
import { ClusterStartError } from './cluster-start-error.js';
import { gateReader } from './component/component-gates.js';
import { acceptedFlag, type GateValues } from './component-gates.js';
import { ComponentMaker } from './component-maker.js';
import type { KeyPair } from './issue-certificates.js';
import { requireSupported } from './kubernetes-version.js';
import { Listener } from './listener.js';
import { serveDefinitions } from './serve-definitions.js';
import { StopOrder } from './stop-order.js';

/** How an API server without a cluster is started. */
export interface LoneServerOptions {
  readonly bind: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** Serving certificate and its key. Default: new ones. */
  readonly serving: KeyPair | undefined;
  /** PEM of the authorities whose client certificates are believed. Default: none. */
  readonly clientAuthority: string | undefined;
  /** Private key that signs the tokens of service accounts, PEM. Default: a new one. */
  readonly serviceAccountKey: string | undefined;
  /** Issuer of those tokens. Default: that of a cluster. */
  readonly serviceAccountIssuer: string | undefined;
  readonly version: string;
  readonly featureGates: GateValues;
  readonly authorizationModes: readonly AuthorizationMode[];
  readonly runs: PluginChoice;
  /** Range of the addresses of services, such as `10.0.0.0/24`. */
  readonly services: string;
  /** Default: that of this machine. */
  readonly clock?: Clock;
  readonly log: Logger;
}

/** An API server that runs. */
export interface LoneServer {
  /** `https://127.0.0.1:6443`. */
  readonly url: string;
  /** Ends its watches and connections; its data is lost. */
  stop(): Promise<void>;
}

/**
 * Starts an API server over a store in memory, and nothing else: as beside a kube-apiserver that runs without controllers,
 * scheduler and kubelets, a Deployment gets no pods and a deleted namespace stays. Resolves when it answers and has its
 * first objects.
 * @throws ClusterStartError when an option cannot be used
 */
export async function startApiServer(options: LoneServerOptions): Promise<LoneServer> {
  const { bind, port, version, log, clock = systemClock, serviceAccountKey, serviceAccountIssuer } = options;
  requireSupported(version);
  acceptedFlag('kube-apiserver', version, options.featureGates);
  const services = rangeOf(options.services);
  const random = systemRandom;
  const store = memoryStore({ clock });
  const definitions = new DefinitionRegistry(builtInDefinitions());
  const ofProcess = processMetrics();
  const startedMs = clock.now();
  const stops = new StopOrder(log);
  const { serving, clientAuthority } = await credentialsFor(options, clock.now());
  const server = new ApiServerProcess({
    number: 1,
    version,
    listen: (api) => new Listener(api, { ...serving, clientAuthority, host: bind, port }),
    newServer: (gate) =>
      createApiServer({
        store,
        definitions,
        clock,
        random,
        version,
        admission: builtInAdmission({ random, runs: options.runs, services }),
        ...(serviceAccountKey !== undefined && { serviceAccountKey }),
        serviceAccountIssuer,
        authorizationModes: options.authorizationModes,
        isEnabled: gateReader(gate),
        flags: () => ({ 'bind-address': bind, 'emulated-version': version, 'feature-gates': String(gate) }),
        metrics: () => ofProcess.page(startedMs) + gate.metrics(),
      }),
    firstObjects: (kube, minor) => bootstrapObjects(kube, minor, server.listener.port, services),
    maker: new ComponentMaker({ nodeUid: () => undefined, gatesFolder: undefined, dynamicFeatures: [], clock, log }),
    clock,
    random,
    log,
  });
  stops.last(() => server.stop());
  stops.last(() => ofProcess.close());
  stops.last(() => store.close());
  serveDefinitions({ store, clock, log }, definitions, stops);
  try {
    await server.start({ version, featureGates: options.featureGates });
    await server.allRoles();
  } catch (error) {
    await stops.run();
    throw error;
  }
  return { url: server.url, stop: () => stops.run() };
}

/** The authority of certificates that are issued here has no clients. */
async function credentialsFor({ serving, clientAuthority, bind }: LoneServerOptions, nowMs: number) {
  if (serving && clientAuthority !== undefined) return { serving, clientAuthority };
  const issued = await certificatesIn(undefined, { names: servingNames(bind), nowMs });
  return { serving: serving ?? issued.serving, clientAuthority: clientAuthority ?? issued.ca.certificate };
}

function rangeOf(cidr: string): AddressRange {
  try {
    return new AddressRange(cidr);
  } catch (cause) {
    throw new ClusterStartError('BadOption', (cause as Error).message, 'name one such as 10.0.0.0/24', { cause });
  }
}
