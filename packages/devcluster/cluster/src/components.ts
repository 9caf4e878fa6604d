import { hostname } from 'node:os';
import type { User } from '@slipway/api-machinery/identity/user';
import type { Random } from '@slipway/api-machinery/json/random';
import { minorOf } from '@slipway/api-machinery/schema/supported-versions';
import { TokenKey } from '@slipway/api-server/auth/tokens/token-key';
import type { ApiHandler } from '@slipway/api-server/request/request';
import type { ApiServer } from '@slipway/api-server/server';
import { inprocTransport } from '@slipway/api-server/transport/inproc-transport';
import type { FeatureGate } from '@slipway/feature-gates';
import { type Clock, Kube, type Logger, loadPart, mapConcurrently, type Transport } from '@slipway/kube';
import { gatedProfile } from '@slipway/kube-objects/rules/version-profile';
import { serviceAddresses } from '@slipway/kubernetes-kinds/admission/service-addresses';
import { NodeNetwork } from '@slipway/simulated-kubelet/node/node-network';
import { Machine } from '@slipway/simulated-kubelet/pods/machine';
import type { SimulatedNodes } from '@slipway/simulated-kubelet/simulated-nodes';
import { firstServing } from './api-front.js';
import { ApiServerProcess, type ServerSettings } from './api-server-process.js';
import { bootstrapObjects } from './bootstrap-objects.js';
import { certificateSigner } from './certificate-signer.js';
import type { Component, ComponentRun } from './component/component.js';
import type { ComponentName, PinnedGates } from './component-gates.js';
import { ComponentMaker } from './component-maker.js';
import { ComponentPages } from './component-pages.js';
import type { KeyPair } from './issue-certificates.js';
import { lateWatches, type WatchDelays } from './late-watches.js';
import type { Listener } from './listener.js';
import { type NodeControl, nodeControl } from './node-control.js';
import { onDemand, onDemandFleet } from './on-demand.js';
import type { PlannedNodes } from './planned-nodes.js';
import { publishAuthentication } from './publish-authentication.js';
import { ensureStandardStorage } from './standard-storage.js';
import { componentUsers } from './users.js';

export interface ComponentsOptions {
  /** At least one. */
  readonly servers: readonly ServerSettings[];
  /** The address of the API server with a number; the first is number 1. */
  readonly listen: (api: ApiHandler, server: number) => Listener;
  /** One run of an API server, which reads its gates from `gate`. */
  readonly newServer: (gate: FeatureGate, version: string) => ApiServer;
  /** Port of the service `kubernetes`. */
  readonly servicePort: () => number;
  readonly version: string;
  readonly pinned: PinnedGates;
  readonly planned: PlannedNodes;
  /** Certificate and key of the authority of the cluster. */
  readonly authority: KeyPair;
  /** Signs the tokens of service accounts, PEM. */
  readonly serviceAccountKey: string;
  /** What components other than API servers show at addresses of their own; they have none when absent. */
  readonly pagesWith: KeyPair | undefined;
  /** Through what the API servers reach the nodes. */
  readonly reach: SimulatedNodes;
  /** UID of a node, undefined while it is not registered. */
  readonly nodeUid: (name: string) => string | undefined;
  /** Resolves when the scheduler may use these nodes. */
  readonly nodesOpen: (names: readonly string[]) => Promise<void>;
  /** Folder for the published values last in effect; none are kept without it. */
  readonly gatesFolder: string | undefined;
  readonly dynamicFeatures: readonly string[];
  readonly watchDelays: WatchDelays;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Every process of a cluster. The API servers come first: the others talk to them. */
export interface Components {
  readonly all: readonly Component[];
  readonly servers: readonly ApiServerProcess[];
  /** What all clients that do not care for one server talk to. */
  readonly front: ApiHandler;
  readonly nodes: readonly NodeControl[];
  /** What components show at addresses of their own, as far as they have any. */
  readonly pages: readonly ComponentPages[];
  /** Resolves when the API answers and has the objects every cluster has. */
  startServers(): Promise<void>;
  /** Resolves when every node is Ready and takes pods, the controllers work, and all roles of Kubernetes are there. */
  startOthers(): Promise<void>;
  /** Names of those of the others that have not started yet. */
  missing(): readonly string[];
  startReporting(): void;
  stopOthers(): Promise<void>;
  stopServers(): Promise<void>;
}

/** Where Kubernetes has its components listen; of kubelets there are many on this machine. */
const usualPorts = { 'kube-apiserver': 0, 'kube-controller-manager': 10_257, 'kube-scheduler': 10_259, kubelet: 0 };

/** Thousands of kubelets that register at the same moment would be turned away by the API server. */
const startingAtOnce = 200;

/** Makes the components and starts nothing yet. */
export function components(options: ComponentsOptions): Components {
  const { clock, random, log, version, pinned } = options;
  const maker = new ComponentMaker(options);
  const servers = options.servers.map(
    (settings, index) =>
      new ApiServerProcess({
        number: index + 1,
        version: settings.version,
        listen: (api) => options.listen(api, index + 1),
        newServer: options.newServer,
        firstObjects: async (kube, minor) => {
          await bootstrapObjects(kube, minor, options.servicePort(), serviceAddresses);
          await Promise.all([ensureStandardStorage(kube), publishAuthentication(kube, options.authority.certificate)]);
        },
        maker,
        clock,
        random,
        log,
      }),
  );
  const front = firstServing(servers.map((server) => server.front));
  const network = new NodeNetwork();
  const transport = (user: User) => inprocTransport(front, user, { lean: true });
  const kubeOf = (user: User, fieldManager: ComponentName) => {
    const delayMs = options.watchDelays[fieldManager];
    const through = delayMs ? lateWatches(transport(user), delayMs, clock) : transport(user);
    return new Kube(through, { clock, random: random.fraction, fieldManager });
  };

  const pages: ComponentPages[] = [];
  const component = (
    name: ComponentName,
    instance: string,
    through: Transport,
    run: (gate: FeatureGate) => ComponentRun,
    toldPort?: (port: number) => void,
  ): Component => {
    const spec = { name, instance, version: () => version, transport: through };
    if (!options.pagesWith) return maker.make({ ...spec, reports: true, run });
    const own = new ComponentPages({
      component: name,
      instance,
      version: spec.version,
      kube: new Kube(through, { clock, random: random.fraction }),
      serving: options.pagesWith,
      clientAuthority: options.authority.certificate,
      port: usualPorts[name],
      clock,
    });
    pages.push(own);
    const made: Component = maker.make({
      ...spec,
      reports: false,
      run: (gate) => own.beside(run(gate), gate, () => made.pin, toldPort),
    });
    return made;
  };

  const { controllerManager: manager, scheduler, kubelets } = componentUsers;
  const { nodes, settings, scenario } = options.planned;
  const machines = nodes.map((spec) => new Machine(spec));
  const gates = new Map<string, FeatureGate>();
  const fleet = onDemandFleet({
    kube: kubeOf(kubelets, 'kubelet'),
    transportOf: (node) => transport(componentUsers.kubelet(node)),
    log,
    machines,
    settings,
    scenario,
    profileOf: (kubelet, node) => gatedProfile(kubelet, (name) => gates.get(node)?.enabled(name) ?? false),
    kubeletVersion: `v${version}.0`,
    network,
    reach: options.reach,
  });
  const ofNodes = machines.map((machine) => {
    const { name } = machine;
    const through = network.through(name, transport(componentUsers.kubelet(name)));
    const run = (gate: FeatureGate) => {
      gates.set(name, gate);
      options.reach.setMetrics(name, () => gate.metrics());
      return fleet.kubelet(name);
    };
    return { machine, kubelet: component('kubelet', name, through, run, (port) => machine.listenAt(port)) };
  });
  const others = [
    component('kube-controller-manager', hostname(), transport(manager), (gate) =>
      onDemand(async () => {
        const { controllerManager } = await loadPart(
          import.meta.url,
          './parts/controller-manager.js',
          () => import('./parts/controller-manager.js'),
        );
        const tokenKey = new TokenKey(options.serviceAccountKey);
        return controllerManager({
          kube: kubeOf(manager, 'kube-controller-manager'),
          kubeFor: (controller) => kubeOf(componentUsers.controller(controller), 'kube-controller-manager'),
          log,
          gate,
          serverVersion: oldestOf(servers),
          identity: leaderIdentity(random),
          caCertificate: options.authority.certificate,
          signCertificate: certificateSigner(options.authority),
          signToken: (claims) => tokenKey.sign(claims),
        });
      }),
    ),
    component('kube-scheduler', hostname(), transport(scheduler), (gate) =>
      onDemand(async () => {
        const { schedulerRun } = await loadPart(
          import.meta.url,
          './scheduler-run.js',
          () => import('./scheduler-run.js'),
        );
        const profile = gatedProfile(version, (name) => gate.enabled(name));
        return schedulerRun(kubeOf(scheduler, 'kube-scheduler'), log, profile, leaderIdentity(random));
      }),
    ),
    ...ofNodes.map(({ kubelet }) => kubelet),
  ];

  const missing = new Set(others);
  return {
    all: [...servers.map((server) => server.component), ...others],
    servers,
    front,
    nodes: ofNodes.map(({ kubelet, machine }) => nodeControl(kubelet, machine, network, pinned.kubelet)),
    async startServers() {
      await Promise.all(servers.map((server, index) => server.start(options.servers[index])));
    },
    async startOthers() {
      await mapConcurrently(others, startingAtOnce, async (one) => {
        await one.start({ pin: pinned[one.name as ComponentName] });
        missing.delete(one);
      });
      await options.nodesOpen(nodes.map(({ name }) => name));
      await Promise.all(servers.map((server) => server.allRoles()));
    },
    missing: () => [...missing].map(({ name, instance }) => (name === 'kubelet' ? `${name} ${instance}` : name)),
    pages,
    startReporting: () => maker.startReporting(),
    async stopOthers() {
      await Promise.all(others.map((one) => one.stop()));
      await fleet.stop();
    },
    async stopServers() {
      await Promise.all(servers.map((server) => server.stop()));
    },
  };
}

/** Who a component is in the lease by which it leads: new for every start. */
function leaderIdentity(random: Random): string {
  return `${hostname()}_${random.uid()}`;
}

/** The lowest version among API servers. */
function oldestOf(servers: readonly ApiServerProcess[]): string {
  const [oldest = ''] = servers.map(({ version }) => version).sort((one, other) => minorOf(one) - minorOf(other));
  return oldest;
}
