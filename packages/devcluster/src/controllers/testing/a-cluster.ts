import { type Clock, Kube, Manager, silentLog, systemClock } from '@slipway/kube';
import { builtInAdmission } from '../../admission/built-in-admission.js';
import { createApiServer } from '../../api-server/server.js';
import { inprocTransport } from '../../api-server/transport/inproc-transport.js';
import { bootstrapObjects } from '../../cluster/bootstrap-objects.js';
import { type VersionProfile, versionProfiles } from '../../cluster/version-profile.js';
import { builtInDefinitions } from '../../kinds/catalogue.js';
import { KubeletFleet } from '../../kubelet/fleet.js';
import type { NewPodPulls } from '../../kubelet/images/pod-pulls.js';
import { Machine } from '../../kubelet/machine.js';
import type { NodeNetwork } from '../../kubelet/node-network.js';
import { noDelays, type PodDelays } from '../../kubelet/pod-timeline.js';
import { Scheduler } from '../../scheduler/scheduler.js';
import { memoryStore } from '../../storage/memory-store.js';
import { componentGate } from '../component/component-gates.js';
import { controllerManager } from '../controller-manager.js';

export interface AClusterOptions {
  /** How many nodes, n1 and so on. Default: 2. */
  readonly nodes?: number;
  readonly capacity?: Readonly<Record<string, string>>;
  readonly delays?: Partial<PodDelays>;
  readonly clock?: Clock;
  /** How pods come to their images. Default: all are there at once. */
  readonly newPulls?: NewPodPulls;
  /** Cuts kubelets off from the API server. */
  readonly network?: NodeNetwork;
  /** What scheduler and kubelets do differently by version. Default: `native`. */
  readonly profile?: VersionProfile;
  /** The `--feature-gates` of both components that know gates. */
  readonly gates?: string;
}

/** API server, controllers, scheduler and kubelets in this process, over a store in memory. Stops when disposed of. */
export async function aCluster(options: AClusterOptions = {}) {
  const { nodes = 2, capacity = { cpu: '4', memory: '8Gi', pods: '110' }, clock = systemClock, gates = '' } = options;
  const log = silentLog;
  const gate = (component: string) => {
    const made = componentGate(component, '1.34');
    made.set(gates);
    return made;
  };
  const serverGate = gate('kube-apiserver');
  const managerGate = gate('kube-controller-manager');
  const store = memoryStore({ clock });
  const api = createApiServer({
    store,
    clock,
    definitions: builtInDefinitions(),
    admission: builtInAdmission(),
    isEnabled: (name) => serverGate.enabled(name),
  });
  const kube = new Kube(inprocTransport(api, { name: 'test', groups: ['system:masters'] }), { clock });
  await bootstrapObjects(kube, 0);

  const specs = Array.from({ length: nodes }, (_, index) => ({ name: `n${index + 1}`, capacity }));
  const { profile = versionProfiles.native } = options;
  let machines: readonly Machine[] = [];
  const aFleet = () => {
    machines = specs.map((spec) => new Machine(spec));
    return new KubeletFleet({
      kube,
      log,
      machines,
      kubeletVersion: 'v1.34.0',
      profileOf: () => profile,
      delays: { ...noDelays, ...options.delays },
      newPulls: options.newPulls,
      ...(options.network && { network: options.network }),
    });
  };
  const controllers = controllerManager({ kube, log, gate: managerGate, caCertificate: 'PEM' });
  const scheduling = new Manager({ kube, log });
  scheduling.add(new Scheduler({ kube, log, informers: scheduling.informers, profile, random: () => 0 }));
  let fleet = aFleet();
  const startFleet = async () => {
    await fleet.start();
    await Promise.all(fleet.kubelets.map((kubelet) => kubelet.start()));
  };
  await Promise.all([controllers.start(), scheduling.start(), startFleet()]);

  return {
    kube,
    serverGate,
    managerGate,
    /** The kubelets as they are now. */
    kubelets: () => fleet.kubelets,
    /** What the kubelets run on. */
    machines: () => machines,
    /** All kubelets die, the machines with them, and others take their place. */
    async replaceKubelets() {
      await fleet.stop();
      fleet = aFleet();
      await startFleet();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([controllers.stop(), scheduling.stop(), fleet.stop()]);
      api.drain();
      await store.close();
    },
  };
}
