import { sleep } from '@slipway/kube';
import type { Pod } from '../../kube-objects/kinds/api/pods.js';
import type { ContainerView } from '../../simulated-kubelet/exec/container-view.js';
import { talkToMain } from '../../simulated-kubelet/exec/main-program.js';
import { ended } from '../../simulated-kubelet/exec/run-in-container.js';
import type { Terminal } from '../../simulated-kubelet/exec/terminal.js';
import { loggedRun } from '../../simulated-kubelet/logs/logged-run.js';
import { simulatedLog } from '../../simulated-kubelet/logs/simulated-log.js';
import type { Call, Core } from '../core/core.js';
import type { ApiAnswer } from '../request/request.js';
import { podOnNode, runningContainer } from './container-view.js';
import { wantedStreams, withTerminal } from './exec.js';
import { whileRunning } from './while-running.js';

/** How often it is looked for what the container has written. */
const lookMs = 1_000;

/**
 * Attaches to what a container runs: one that has standard input runs its program for whoever is attached, and ends with it;
 * any other only writes its log.
 */
export function attach(core: Core, call: Call): ApiAnswer {
  const wanted = wantedStreams(call);
  const view = runningContainer(core, podOnNode(core, call), call.query.get('container') ?? '');
  const { name = '', stdin, tty } = view.container;
  return withTerminal(call, wanted, (terminal) =>
    stdin && wanted.stdin
      ? talk(core, view, Boolean(tty) && wanted.tty, whileRunning(core, view, terminal, ended(0)))
      : followLog(core, call, name, terminal),
  );
}

/** With what the program ended is told by the status of the pod, not to who was attached. */
async function talk(core: Core, view: ContainerView, tty: boolean, terminal: Terminal): Promise<void> {
  const code = await talkToMain(view, tty, terminal);
  const { metadata, spec } = view.pod;
  if (code !== undefined) {
    const [nodeName, uid] = [spec.nodeName ?? '', metadata.uid ?? ''];
    core.nodes.exit({ nodeName, uid, container: view.container.name ?? '', code });
  }
  terminal.finish(ended(0));
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
