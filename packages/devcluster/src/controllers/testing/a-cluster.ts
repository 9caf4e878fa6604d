import { Kube, type Logger, Manager, silentLog } from '@slipway/kube';
import { builtInAdmission } from '../../admission/built-in-admission.js';
import { createApiServer } from '../../api-server/server.js';
import { inprocTransport } from '../../api-server/transport/inproc-transport.js';
import { bootstrapObjects } from '../../cluster/bootstrap-objects.js';
import { builtInDefinitions } from '../../kinds/catalogue.js';
import { KubeletFleet } from '../../kubelet/fleet.js';
import type { PodDelays } from '../../kubelet/pod-timeline.js';
import { Scheduler } from '../../scheduler/scheduler.js';
import { memoryStore } from '../../storage/memory-store.js';
import { componentGate } from '../component/component-gates.js';
import { controllerManager } from '../controller-manager.js';

export interface AClusterOptions {
  readonly nodes?: number;
  readonly capacity?: Readonly<Record<string, string>>;
  readonly delays?: PodDelays;
  readonly log?: Logger;
  /** The `--feature-gates` of both components that know gates. */
  readonly gates?: string;
}

/** API server, controllers, scheduler and kubelets in this process, over a store in memory. */
export async function aCluster(options: AClusterOptions = {}) {
  const { nodes = 3, capacity = { cpu: '4', memory: '8Gi', pods: '110' }, log = silentLog, gates = '' } = options;
  const gate = (component: string) => {
    const made = componentGate(component, '1.34');
    made.set(gates);
    return made;
  };
  const serverGate = gate('kube-apiserver');
  const store = memoryStore();
  const api = createApiServer({
    store,
    definitions: builtInDefinitions(),
    admission: builtInAdmission(),
    isEnabled: (name) => serverGate.enabled(name),
  });
  const transport = inprocTransport(api, { name: 'test', groups: ['system:masters'] });
  const kube = new Kube(transport);
  await bootstrapObjects(kube, 0);

  const controllers = controllerManager({ kube, log, gate: gate('kube-controller-manager'), caCertificate: 'PEM' });
  const scheduling = new Manager({ kube, log });
  scheduling.add(new Scheduler({ kube, log, informers: scheduling.informers }));
  const specs = Array.from({ length: nodes }, (_, index) => ({ name: `n${index + 1}`, capacity }));
  const delays = options.delays && { delays: options.delays };
  const fleet = new KubeletFleet({ kube, log, nodes: specs, kubeletVersion: 'v1.34.0', ...delays });
  await Promise.all([controllers.start(), scheduling.start(), fleet.start()]);
  await Promise.all(fleet.kubelets.map((kubelet) => kubelet.start()));
  return {
    kube,
    fleet,
    async stop() {
      await Promise.all([controllers.stop(), scheduling.stop(), fleet.stop()]);
      api.drain();
      await store.close();
    },
  };
}
