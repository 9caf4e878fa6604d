import { loadPart } from '@slipway/kube';
import type { FleetOptions, KubeletFleet } from '@slipway/simulated-kubelet/fleet';
import type { ImageScenario } from '@slipway/simulated-kubelet/images/images-file';
import type { NewPodPulls } from '@slipway/simulated-kubelet/images/pod-pulls';
import type { KubeletSettings } from '@slipway/simulated-kubelet/settings/kubelet-settings';
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
    const { KubeletFleet, presentImages } = await loadPart(
      import.meta.url,
      './parts/kubelet-fleet.js',
      () => import('./parts/kubelet-fleet.js'),
    );
    const { settings, scenario } = options;
    // What asks for images is loaded only where a configuration or a pod needs it.
    const newPulls = scenario
      ? await limited(settings, scenario)
      : presentImages(async () => limited(settings, (await imagesFile()).ordinaryImages));
    const made = new KubeletFleet({ ...options, newPulls });
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

function imagesFile() {
  return import('@slipway/simulated-kubelet/images/images-file');
}

async function limited(settings: KubeletSettings, scenario: ImageScenario): Promise<NewPodPulls> {
  const { limitedPulls } = await import('@slipway/simulated-kubelet/images/limited-pulls');
  return limitedPulls(scenario, settings);
}
