import { loadPart } from '@slipway/kube';
import type { FleetOptions, KubeletFleet } from '@slipway/simulated-kubelet/fleet';
import type { NewPodPulls } from '@slipway/simulated-kubelet/images/pod-pulls';
import type { ComponentRun } from './component/component.js';
import type { PlannedNodes } from './planned-nodes.js';

/** A run whose code is loaded when it starts, if it was not before. */
export function onDemand(load: () => Promise<ComponentRun>): ComponentRun {
  let run: ComponentRun | undefined;
  return {
    async start() {
      run = await load();
      await run.start();
    },
    async stop() {
      await run?.stop();
    },
  };
}

/** The kubelets of a cluster, made together when the first of them starts; `scenario` is what images there are. */
export function onDemandFleet(options: FleetOptions & Pick<PlannedNodes, 'settings' | 'scenario'>): {
  kubelet(nodeName: string): ComponentRun;
  stop(): Promise<void>;
} {
  let fleet: Promise<KubeletFleet> | undefined;
  const started = async () => {
    const { KubeletFleet } = await loadPart(
      import.meta.url,
      './parts/kubelet-fleet.js',
      () => import('./parts/kubelet-fleet.js'),
    );
    const made = new KubeletFleet({ ...options, newPulls: await newPulls(options) });
    await made.start();
    return made;
  };
  return {
    kubelet(nodeName) {
      return onDemand(async () => {
        fleet ??= started();
        const kubelet = (await fleet).kubelets.find((one) => one.nodeName === nodeName);
        if (!kubelet) throw new Error(`there is no kubelet for node "${nodeName}"`);
        return kubelet;
      });
    },
    async stop() {
      await (await fleet)?.stop();
    },
  };
}

/** Without a configuration of images nothing is loaded for them. */
async function newPulls({
  settings,
  scenario,
}: Pick<PlannedNodes, 'settings' | 'scenario'>): Promise<NewPodPulls | undefined> {
  if (!scenario) return undefined;
  const { limitedPulls } = await import('@slipway/simulated-kubelet/images/limited-pulls');
  return limitedPulls(scenario, settings);
}
