import { sleep } from '@slipway/kube';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import { exitStatus } from '@slipway/kube-objects/node-connection/exit-status';
import type { Terminal } from '@slipway/kube-objects/node-connection/terminal';
import type { Call, Core } from '../core/core.js';
import type { ApiAnswer } from '../request/request.js';
import { podOnNode, runningContainer } from './container-view.js';
import { wantedStreams, withTerminal } from './exec.js';
import { whileRunning } from './while-running.js';

/** How often it is looked for what the container has written. */
const lookMs = 1_000;

/**
 * Attaches to what a container runs: the client of one that has standard input types into its program, that of any other
 * only sees its log.
 */
export function attach(core: Core, call: Call): ApiAnswer {
  const wanted = wantedStreams(call);
  const view = runningContainer(core, podOnNode(core, call), call.query.get('container') ?? '');
  const { name = '', stdin } = view.container;
  return withTerminal(call, wanted, (terminal) =>
    stdin && wanted.stdin
      ? core.nodes.attach(view, whileRunning(core, view, terminal, exitStatus(0)))
      : followLog(core, call, name, terminal),
  );
}

async function followLog(core: Core, call: Call, container: string, terminal: Terminal): Promise<void> {
  let writtenUntilMs = core.clock.now();
  while (!terminal.gone.aborted) {
    const nowMs = core.clock.now();
    const pod = core.store.get(call.definition.storedAs, call.namespace, call.name)?.object as Pod | undefined;
    const run = pod && core.nodes.loggedRun(pod, container, false);
    if (!pod || !run || typeof run === 'string') return terminal.finish(exitStatus(0));
    // Of an end one may hear later than it happened.
    const fromMs = Math.min(writtenUntilMs + 1, run.ended?.atMs ?? nowMs);
    for (const { atMs, text } of core.nodes.logOf(pod, run, fromMs)) {
      if (atMs > nowMs) break;
      terminal.stdout(Buffer.from(`${text}\n`));
    }
    if (run.ended) return terminal.finish(exitStatus(0));
    writtenUntilMs = nowMs;
    await sleep(core.clock, lookMs, terminal.gone).catch(() => {});
  }
}
