import { Feature, type Target } from '@slipway/features';
import { InformerFactory, type Kube, silentLog } from '@slipway/kube';
import type { Terminal } from '../../runtime/terminal.js';

/**
 * Watches a feature until it has reached a state and the server has seen the newest spec, or the time is over.
 * Tells a person what it waits for, each time that changes.
 */
export async function waitForState(
  kube: Kube,
  feature: Feature,
  to: Target,
  options: { readonly withinMs: number; readonly signal: AbortSignal; readonly terminal: Terminal },
): Promise<{ readonly reached: boolean; readonly last: Feature }> {
  const { withinMs, signal, terminal } = options;
  const { name, namespace, generation = 0 } = feature.metadata;
  const informers = new InformerFactory(kube, { log: silentLog });
  const informer = informers.informer(Feature, { namespace, fieldSelector: `metadata.name=${name}` });
  let last = feature;
  let told = '';
  try {
    const reached = await new Promise<boolean>((resolve, reject) => {
      const timer = setTimeout(() => resolve(false), withinMs);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      informer.onChange(({ object }) => {
        last = object;
        const { status } = object;
        const step = status?.transition?.tasks[0];
        const line = step
          ? `${status?.state}: ${step.name} ${step.message ?? step.reason ?? ''}`.trimEnd()
          : (status?.state ?? '');
        if (terminal.progress && line !== told) terminal.err(`${line}\n`);
        told = line;
        if (status?.state === to && (status.observedGeneration ?? 0) >= generation) {
          clearTimeout(timer);
          resolve(true);
        }
      });
      informers.start();
    });
    return { reached, last };
  } finally {
    await informers.stop();
  }
}
