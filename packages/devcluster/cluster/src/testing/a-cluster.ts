import { drawnFrom, systemRandom } from '@slipway/api-machinery/json/random';
import { defaultVersion, minorOf } from '@slipway/api-machinery/schema/supported-versions';
import { newSigningKey, TokenKey } from '@slipway/api-server/auth/tokens/token-key';
import { type ApiServer, createApiServer } from '@slipway/api-server/server';
import { inprocTransport } from '@slipway/api-server/transport/inproc-transport';
import { deviceSelectors } from '@slipway/cel/kubernetes/device-selectors';
import { controllerManager } from '@slipway/controllers/controller-manager';
import { type Clock, Kube, Manager, silentLog, systemClock, type Transport } from '@slipway/kube';
import { type VersionProfile, versionProfiles } from '@slipway/kube-objects/rules/version-profile';
import { builtInAdmission } from '@slipway/kubernetes-kinds/admission/built-in-admission';
import { serviceAddresses } from '@slipway/kubernetes-kinds/admission/service-addresses';
import { builtInDefinitions } from '@slipway/kubernetes-kinds/kinds/catalogue';
import { memoryStore } from '@slipway/object-store/memory-store';
import { Scheduler } from '@slipway/scheduler/scheduler';
import { KubeletFleet } from '@slipway/simulated-kubelet/fleet';
import type { NewPodPulls } from '@slipway/simulated-kubelet/images/pod-pulls';
import type { NodeNetwork } from '@slipway/simulated-kubelet/node/node-network';
import { Machine } from '@slipway/simulated-kubelet/pods/machine';
import { noDelays, type PodDelays } from '@slipway/simulated-kubelet/timeline/pod-timeline';
import { bootstrapObjects } from '../bootstrap-objects.js';
import { componentGate, gateReader } from '../component/component-gates.js';
import { metricsDefinitions } from '../metrics-api/metrics-definitions.js';
import { openNodes } from '../open-nodes.js';
import { ensureStandardStorage } from '../standard-storage.js';
import { componentUsers } from '../users.js';

export interface AClusterOptions {
  /** How many nodes, n1 and so on. Default: 2. */
  readonly nodes?: number;
  readonly capacity?: Readonly<Record<string, string>>;
  readonly delays?: Partial<PodDelays>;
  readonly clock?: Clock;
  /** Numbers from 0 up to 1: all that is drawn in the cluster follows from them. Default: those of this machine. */
  readonly random?: () => number;
  /** How pods come to their images. Default: all are there at once. */
  readonly newPulls?: NewPodPulls;
  /** Cuts kubelets off from the API server. */
  readonly network?: NodeNetwork;
  /** What scheduler and kubelets do differently by version. Default: `native`. */
  readonly profile?: VersionProfile;
  /** The `--feature-gates` of both components that know gates. */
  readonly gates?: string;
  /** Sees all that reaches the API server. */
  readonly noticing?: (api: ApiServer) => ApiServer;
  /**
   * What a component speaks to the API server through: each controller by its own name, what they all hear as
   * `kube-controller-manager`, and `kube-scheduler`. Default: as everybody.
   */
  readonly transportOf?: (component: string, transport: Transport) => Transport;
}

/** Who a component is to the API server: controllers and scheduler have no more rights than anywhere. */
function userOf(component: string) {
  if (component === 'kube-controller-manager') return componentUsers.controllerManager;
  return component === 'kube-scheduler' ? componentUsers.scheduler : componentUsers.controller(component);
}

/** API server, controllers, scheduler and kubelets in this process, over a store in memory. Stops when disposed of. */
export async function aCluster(options: AClusterOptions = {}) {
  const { nodes = 2, capacity = { cpu: '4', memory: '8Gi', pods: '110' }, clock = systemClock, gates = '' } = options;
  const { random, noticing = (api) => api } = options;
  const log = silentLog;
  const gate = (component: string) => {
    const made = componentGate(component, defaultVersion);
    made.set(gates);
    return made;
  };
  const serverGate = gate('kube-apiserver');
  const managerGate = gate('kube-controller-manager');
  const store = memoryStore({ clock });
  const serviceAccountKey = newSigningKey();
  const tokenKey = new TokenKey(serviceAccountKey);
  const draws = random ? drawnFrom(random) : systemRandom;
  const server = createApiServer({
    store,
    serviceAccountKey,
    clock,
    random: draws,
    definitions: [...builtInDefinitions(), ...metricsDefinitions],
    admission: builtInAdmission({ random: draws }),
    isEnabled: gateReader(serverGate),
  });
  const api = noticing(server);
  const through = (transport: Transport) => new Kube(transport, { clock, ...(random && { random }) });
  const kube = through(inprocTransport(api, { name: 'test', groups: ['system:masters'] }));
  await bootstrapObjects(kube, minorOf(defaultVersion), 0, serviceAddresses);
  await ensureStandardStorage(kube);

  const specs = Array.from({ length: nodes }, (_, index) => ({ name: `n${index + 1}`, capacity }));
  const { profile = versionProfiles.native } = options;
  let machines: readonly Machine[] = [];
  const aFleet = () => {
    machines = specs.map((spec) => new Machine(spec));
    return new KubeletFleet({
      kube,
      log,
      machines,
      kubeletVersion: `v${defaultVersion}.0`,
      profileOf: () => profile,
      delays: { ...noDelays, ...options.delays },
      newPulls: options.newPulls,
      ...(options.network && { network: options.network }),
    });
  };
  const { transportOf = (_, transport) => transport } = options;
  const kubeOf = (component: string) => through(transportOf(component, inprocTransport(api, userOf(component))));
  const newControllers = () =>
    controllerManager({
      kube: kubeOf('kube-controller-manager'),
      kubeFor: kubeOf,
      log,
      gate: managerGate,
      caCertificate: 'PEM',
      signToken: (claims) => tokenKey.sign(claims),
    });
  const newScheduling = () => {
    const own = kubeOf('kube-scheduler');
    const manager = new Manager({ kube: own, log });
    manager.add(
      new Scheduler({
        kube: own,
        log,
        informers: manager.informers,
        profile,
        random: random ?? (() => 0),
        compileSelector: deviceSelectors(),
      }),
    );
    return manager;
  };
  let [controllers, scheduling] = [newControllers(), newScheduling()];
  let fleet = aFleet();
  const startFleet = async () => {
    await fleet.start();
    await Promise.all(fleet.kubelets.map((kubelet) => kubelet.start()));
  };
  const stopped = new Set<string>();
  const kubeletOf = (name: string) => fleet.kubelets.find(({ nodeName }) => nodeName === name);
  await Promise.all([controllers.start(), scheduling.start(), startFleet()]);
  const names = specs.map(({ name }) => name);
  await openNodes(store, names, AbortSignal.timeout(10_000));

  return {
    kube,
    serverGate,
    managerGate,
    /** The kubelets as they are now. */
    kubelets: () => fleet.kubelets,
    /** What the kubelets run on. */
    machines: () => machines,
    /** The kubelet of a node goes away, and leaves pods and machine as they are. */
    async stopKubelet(name: string) {
      if (stopped.has(name)) return;
      stopped.add(name);
      await kubeletOf(name)?.stop();
    },
    /** It is there again; nothing happens when it never went. */
    async startKubelet(name: string) {
      if (stopped.delete(name)) await kubeletOf(name)?.start();
    },
    /** All kubelets die, the machines with them, and others take their place. */
    async replaceKubelets() {
      await fleet.stop();
      fleet = aFleet();
      await startFleet();
    },
    /** Ends all controllers, whatever they are at, and starts others that know nothing of what those did. */
    async restartControllers() {
      await controllers.stop();
      controllers = newControllers();
      await controllers.start();
    },
    /** The same with the scheduler. */
    async restartScheduler() {
      await scheduling.stop();
      scheduling = newScheduling();
      await scheduling.start();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([controllers.stop(), scheduling.stop(), fleet.stop()]);
      api.drain();
      await store.close();
    },
  };
}
