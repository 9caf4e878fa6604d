import { EventRecorder, type Kube, type Logger, sleep } from '@slipway/kube';
import { type PullQueue, WaitingPulls } from './waiting-pulls.js';

const everyMs = 5_000;

interface ReportingOptions {
  readonly kube: Kube;
  readonly node: string;
  readonly log: Logger;
  /** Reads the queue of the limiter; throws while none answers. */
  readonly readPulls: () => Promise<PullQueue>;
}

/** Records an event `PullWaiting` on pods whose image waits for a slot, until `signal` aborts. */
export async function reportWaitingPulls({ kube, node, log, readPulls }: ReportingOptions, signal: AbortSignal) {
  const recorder = new EventRecorder(kube, { component: 'slipway-node-agent', host: node, log });
  const waiting = new WaitingPulls();
  while (!signal.aborted) {
    // Whether a limiter answers is reported with its gate.
    const queue = await readPulls().catch(() => undefined);
    for (const { pod, message } of queue ? waiting.observe(queue) : [])
      recorder.event(pod, 'Normal', 'PullWaiting', message);
    await sleep(kube.clock, everyMs, signal).catch(() => {});
  }
  await recorder.flush();
}
