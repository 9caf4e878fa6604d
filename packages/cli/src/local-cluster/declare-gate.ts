import { type DefinedFeature, FeatureDefinition, ownAuthor } from '@slipway/features';
import { hasReason, type Kube, sleep } from '@slipway/kube';

const declareAgainMs = 1_000;

/** Declares a feature, as soon as its kind is served, unless it is declared already. Never rejects. */
export async function declareGate(kube: Kube, { object }: DefinedFeature, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const author = await ownAuthor(kube, signal);
      await kube.resource(FeatureDefinition).create({ ...object, ...(author && { author }) }, { signal });
      return;
    } catch (error) {
      if (hasReason(error, 'AlreadyExists')) return;
      await sleep(kube.clock, declareAgainMs, signal).catch(() => {});
    }
  }
}
