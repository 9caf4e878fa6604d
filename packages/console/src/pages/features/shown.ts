import type { FeatureDocument } from '../../feeds/feature-feed.js';

/** A Feature as its page has it. */
export type ShownFeature = NonNullable<FeatureDocument['feature']>;
