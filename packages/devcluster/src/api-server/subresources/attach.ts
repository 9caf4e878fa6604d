import { sleep } from '@slipway/kube';
import type { Pod } from '../../controllers/api/pods.js';
import { ended, runInContainer } from '../../kubelet/exec/run-in-container.js';
import type { Terminal } from '../../kubelet/exec/terminal.js';
import { loggedRun } from '../../kubelet/logs/logged-run.js';
import { simulatedLog } from '../../kubelet/logs/simulated-log.js';
import type { Call, Core } from '../core.js';
import type { ApiAnswer } from '../request.js';
import { podOnNode, runningContainer } from './container-view.js';
import { wantedStreams, withTerminal } from './exec.js';

/** How often it is looked for what the container has written. */
const lookMs = 1_000;

/**
 * Attaches to what a container runs: one that has standard input runs a shell, and any other only writes its log. A shell that is
 * told to exit ends the connection; the container goes on.
 */
export function attach(core: Core, call: Call): ApiAnswer {
  const wanted = wantedStreams(call);
  const view = runningContainer(core, podOnNode(core, call), call.query.get('container') ?? '');
  const { name = '', stdin, tty } = view.container;
  return withTerminal(call, wanted, (terminal) =>
    stdin && wanted.stdin
      ? runInContainer(view, { command: ['sh'], stdin: true, tty: Boolean(tty) && wanted.tty }, terminal)
      : followLog(core, call, name, terminal),
  );
}

async function followLog(core: Core, call: Call, container: string, terminal: Terminal): Promise<void> {
  let writtenUntilMs = core.clock.now();
  while (!terminal.gone.aborted) {
    const nowMs = core.clock.now();
    const pod = core.store.get(call.definition.storedAs, call.namespace, call.name)?.object as Pod | undefined;
    const run = pod && loggedRun(pod, container, false);
    if (!pod || !run || typeof run === 'string') return terminal.finish(ended(0));
    // Of an end one may hear later than it happened.
    const fromMs = Math.min(writtenUntilMs + 1, run.ended?.atMs ?? nowMs);
    for (const { atMs, text } of simulatedLog(pod, run, fromMs)) {
      if (atMs > nowMs) break;
      terminal.stdout(Buffer.from(`${text}\n`));
    }
    if (run.ended) return terminal.finish(ended(0));
    writtenUntilMs = nowMs;
    await sleep(core.clock, lookMs, terminal.gone).catch(() => {});
  }
}
