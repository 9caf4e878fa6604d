import type { ProcessMetrics } from '@slipway/api-server/metrics/process-metrics';
import type { DefinitionRegistry } from '@slipway/api-server/registry/definition-registry';
import { createApiServer } from '@slipway/api-server/server';
import { builtInAdmission } from '@slipway/kubernetes-kinds/admission/built-in-admission';
import { SimulatedNodes } from '@slipway/simulated-kubelet/simulated-nodes';
import type { Activity } from './activity.js';
import { listenerFor } from './addresses.js';
import { gateReader } from './component/component-gates.js';
import { type Components, components } from './components.js';
import { openNodes } from './open-nodes.js';
import type { ResolvedOptions } from './resolved-options.js';

/** Builds the components of a cluster around its store and its definitions, without starting them. */
export function buildComponents(
  options: ResolvedOptions,
  within: {
    readonly activity: Activity;
    readonly definitions: DefinitionRegistry;
    readonly ofProcess: ProcessMetrics;
    readonly servicePort: () => number;
    readonly stopping: AbortSignal;
  },
): Components {
  const { store, clock, random, port } = options;
  const { activity, definitions, ofProcess, servicePort, stopping } = within;
  const reach = new SimulatedNodes({ clock, backends: options.containerPorts });
  const healthChecks = [
    {
      name: 'cluster',
      endpoints: ['readyz'] as const,
      problem: () => (stopping.aborted ? 'the cluster is being stopped' : undefined),
    },
  ];
  return components({
    ...options,
    listen: (api, server) =>
      listenerFor(options, api, options.servers.length === 1 || port === 0 ? port : port + server),
    newServer: (gate, version) => {
      const startedMs = clock.now();
      return activity.noticing(
        createApiServer({
          store,
          definitions,
          clock,
          random,
          version,
          admission: builtInAdmission({ random }),
          healthChecks,
          nodes: reach,
          proxyClient: options.certificates.proxy,
          serviceAccountKey: options.serviceAccountKey,
          staticTokens: options.staticTokens,
          audit: options.audit?.append,
          isEnabled: gateReader(gate),
          flags: () => ({ 'bind-address': options.bind, 'emulated-version': version, 'feature-gates': String(gate) }),
          metrics: () => ofProcess.page(startedMs) + gate.metrics(),
        }),
      );
    },
    servicePort,
    reach,
    authority: options.certificates.ca,
    pagesWith: options.componentPages ? options.certificates.serving : undefined,
    nodesOpen: (names) => openNodes(store, names, stopping),
    nodeUid: (name) => store.get('nodes', '', name)?.object.metadata.uid,
  });
}
