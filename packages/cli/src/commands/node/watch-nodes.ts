import { Node, NodeSize, type ObservedNode } from '@slipway/balloons';
import { InformerFactory, type Kube, type KubeObject, silentLog, sleep } from '@slipway/kube';
import { observeNodes, type WhichNodes } from './observe-nodes.js';

/** Nodes are looked at no more often than this, however much changes. */
const gatherMs = 250;

/**
 * Hands over all nodes, at once and whenever one of them or its size changed, until it is stopped.
 * @throws CommandError as `observeNodes` does.
 */
export async function watchNodes(
  kube: Kube,
  which: WhichNodes,
  show: (nodes: readonly ObservedNode[]) => void,
  signal: AbortSignal,
): Promise<void> {
  show(await observeNodes(kube, which, signal));
  const informers = new InformerFactory(kube, { log: silentLog });
  let isNews = false;
  for (const kind of [NodeSize, Node]) {
    informers.informer<KubeObject>(kind).onChange(() => {
      isNews = true;
    });
  }
  informers.start();
  try {
    while (!signal.aborted) {
      await sleep(kube.clock, gatherMs, signal).catch(() => {});
      if (!isNews || signal.aborted) continue;
      isNews = false;
      show(await observeNodes(kube, which, signal));
    }
  } finally {
    await informers.stop();
  }
}
