import type { ComponentRun } from '../controllers/component/component.js';
import type { FleetOptions, KubeletFleet } from '../kubelet/fleet.js';

/**
 * A run whose code is loaded when it starts: the API answers before the rest of the
 * cluster has been read from disk.
 */
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

/** The kubelets of a cluster, made together when the first of them starts. */
export function onDemandFleet(options: FleetOptions): {
  kubelet(nodeName: string): ComponentRun;
  stop(): Promise<void>;
} {
  let fleet: Promise<KubeletFleet> | undefined;
  const started = async () => {
    const { KubeletFleet } = await import('../kubelet/fleet.js');
    const made = new KubeletFleet(options);
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
