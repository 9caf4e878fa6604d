import { flowSchemaController } from '@slipway/controllers/flow-schema/flow-schema-controller';
import { type Kube, type Logger, Manager, type Runnable, type Timer } from '@slipway/kube';
import { bootstrapFlows } from './bootstrap-flows.js';
import { startOrWarn } from './start-or-warn.js';

const everyMs = 60_000;

/**
 * Maintains the flows of an API server: reports which FlowSchemas count, and recreates mandatory ones that were
 * deleted.
 */
export function keepFlows({ kube, log }: { readonly kube: Kube; readonly log: Logger }): Runnable {
  const manager = new Manager({ kube, log });
  manager.add(flowSchemaController({ kube, informers: manager.informers, log }));
  let timer: Timer | undefined;
  const keepAgain = (signal: AbortSignal) => {
    timer = kube.clock.after(everyMs, () => {
      bootstrapFlows(kube)
        .catch((error: unknown) => signal.aborted || log.warn('flows were not kept up', { error }))
        .finally(() => signal.aborted || keepAgain(signal));
    });
  };
  return {
    name: 'keep-flows',
    async start(signal) {
      keepAgain(signal);
      await startOrWarn(manager, log, signal, 'flows are not kept up');
    },
    stop() {
      timer?.cancel();
      return manager.stop();
    },
  };
}
