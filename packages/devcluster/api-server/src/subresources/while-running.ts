import type { Status } from '@slipway/kube';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { RunningContainer } from '@slipway/kube-objects/node-connection/node-connection';
import type { Terminal } from '@slipway/kube-objects/node-connection/terminal';
import type { Core } from '../core/core.js';
import { runOf, statusOf } from './container-view.js';

/** How often it is looked whether the container of a process still runs. */
const lookMs = 1_000;

/** The terminal of a process that is killed when its container stops; `killed` is what the client is told then. */
export function whileRunning(
  core: Core,
  view: RunningContainer,
  terminal: Terminal,
  killed: Partial<Status>,
): Terminal {
  const stopped = new AbortController();
  const look = () => {
    if (stillRuns(core, view)) {
      timer = core.clock.after(lookMs, look);
    } else {
      stopped.abort();
      terminal.finish(killed);
    }
  };
  let timer = core.clock.after(lookMs, look);
  terminal.gone.addEventListener('abort', () => timer.cancel(), { once: true });
  return {
    gone: AbortSignal.any([terminal.gone, stopped.signal]),
    listen: (onBytes, onEnd) => terminal.listen(onBytes, onEnd),
    stdout: (bytes) => terminal.stdout(bytes),
    stderr: (bytes) => terminal.stderr(bytes),
    get size() {
      return terminal.size;
    },
    finish(status) {
      timer.cancel();
      if (!stopped.signal.aborted) terminal.finish(status);
    },
  };
}

function stillRuns({ store }: Core, { pod: { metadata }, container, run }: RunningContainer): boolean {
  const pod = store.get('pods', metadata.namespace ?? '', metadata.name ?? '')?.object as Pod | undefined;
  if (pod?.metadata.uid !== metadata.uid) return false;
  const status = pod && statusOf(pod, container.name ?? '');
  return status?.state.running !== undefined && runOf(status) === run;
}
