import type { Feature } from '@slipway/features';
import {
  type FeatureRow,
  type FeatureTrait,
  featureRow,
  featureTraits,
  type NextStep,
  nextStepOf,
} from '@slipway/features/views';
import { type Clock, keyOf } from '@slipway/kube';
import type { Feed } from './feed.js';
import { gatherUntil } from './gather.js';
import type { ServerWatch } from './server-watch.js';
import type { Source } from './source.js';
import { followSources } from './table-feed.js';

/** Everything that the page of a feature shows; without `feature` there is none of that name. */
export interface FeatureDocument {
  readonly feature?: Pick<Feature, 'metadata' | 'spec' | 'status'>;
  readonly row?: FeatureRow;
  readonly traits?: readonly FeatureTrait[];
  readonly next?: NextStep;
}

const everyMs = 100;

/** One feature. */
export function featureFeed(
  features: Source<Feature>,
  servers: ServerWatch,
  ref: { readonly namespace: string; readonly name: string },
  clock: Clock,
): Feed {
  return (send, signal) => {
    const flush = () => {
      if (!features.isKnown) return false;
      const feature = features.informer.lister.get(ref);
      send({ type: 'document', document: feature ? documentOf(feature, servers) : {} });
      return true;
    };
    const wanted = `${ref.namespace}/${ref.name}`;
    gatherUntil(signal, clock, everyMs, flush, (ask) => [
      followSources([features], send, ask),
      servers.onChange(ask),
      features.informer.onChange(({ object }) => {
        if (keyOf(object) === wanted) ask();
      }),
    ]);
  };
}

function documentOf(feature: Feature, servers: ServerWatch): FeatureDocument {
  const { managedFields: _, ...metadata } = feature.metadata;
  const { spec, status } = feature;
  return {
    feature: { metadata, spec, ...(status && { status }) },
    row: featureRow(feature),
    traits: featureTraits(feature),
    next: nextStepOf(feature, servers.liveness),
  };
}
