import type { Feature } from '@slipway/features';
import { type FeatureRow, type FeatureTrait, featureRow, featureTraits } from '@slipway/features/views';
import { type Clock, keyOf, refOfKey } from '@slipway/kube';
import type { Feed } from './feed.js';
import type { Source } from './source.js';
import { part, tableFeed } from './table-feed.js';

/** A feature in the table. */
export interface FeatureLine extends FeatureRow {
  readonly key: string;
  readonly traits: readonly FeatureTrait[];
}

/** All features, as `slipway feature list` shows them. */
export function featuresFeed(features: Source<Feature>, clock: Clock): Feed {
  const { lister } = features.informer;
  const row = (key: string): FeatureLine | undefined => {
    const feature = lister.get(refOfKey(key));
    return feature && { key, ...featureRow(feature), traits: featureTraits(feature) };
  };
  const keys = () => lister.list().map(keyOf);
  return tableFeed({ sources: [part(features, (feature) => [keyOf(feature)])], keys, row }, clock);
}
