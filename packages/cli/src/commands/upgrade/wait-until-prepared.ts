import { Feature, isPrepared, type Preparation } from '@slipway/features';
import { findCondition, InformerFactory, type Kube, silentLog } from '@slipway/kube';

/** What was asked for. */
export interface Requested {
  readonly preparation: Pick<Preparation, 'plan' | 'before'>;
  /** As the request left it. */
  readonly feature: Feature;
}

export interface OpenPreparation {
  readonly gate: string;
  /** What a person is waited for. */
  readonly blocked?: string | undefined;
}

/** Watches until nothing is left that is due now, or all that is left waits for a person. Returns what is left. */
export async function waitUntilPrepared(
  kube: Kube,
  requested: readonly Requested[],
  withinMs: number,
  signal: AbortSignal,
): Promise<readonly OpenPreparation[]> {
  const open = new Map(
    requested.map(({ feature }) => [nameOf(feature), { gate: feature.spec.gate } as OpenPreparation]),
  );
  const informers = new InformerFactory(kube, { log: silentLog });
  const informer = informers.informer(Feature, { namespace: requested[0]?.feature.metadata.namespace });
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, withinMs);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      informer.onChange(({ object }) => {
        const name = nameOf(object);
        const known = requested.find(({ feature }) => nameOf(feature) === name);
        if (!known) return;
        if (isPrepared(object, known.preparation)) open.delete(name);
        else open.set(name, { gate: object.spec.gate, blocked: blockedSince(object, known.feature) });
        if ([...open.values()].some(({ blocked }) => blocked === undefined)) return;
        clearTimeout(timer);
        resolve();
      });
      informers.start();
    });
  } finally {
    await informers.stop();
  }
  return [...open.values()];
}

/** What a person is waited for, according to a status that has seen the request. */
function blockedSince({ status }: Feature, { metadata }: Feature): string | undefined {
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0)) return undefined;
  const blocked = findCondition(status?.conditions, 'Blocked');
  return blocked?.status === 'True' ? blocked.message : undefined;
}

function nameOf({ metadata: { name = '' } }: Feature): string {
  return name;
}
