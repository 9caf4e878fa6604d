import { keyOf } from '@slipway/kube';
import type { FeatureDefinition } from '../api/feature-definition.js';
import { labels } from '../api/group.js';
import type { Leadership } from './leadership.js';

export interface WhoKnows {
  /** Keys of the definitions that this server brings. */
  readonly shipped: ReadonlySet<string>;
  readonly leadership: Pick<Leadership, 'knowsAll'>;
}

/**
 * Whether a definition still has a source: its author, or a server that lives
 * and may bring it. What another version of the servers once put there says nothing any more.
 */
export function isStillKnown(definition: FeatureDefinition, { shipped, leadership }: WhoKnows): boolean {
  const isBuiltIn = definition.metadata.labels?.[labels.builtIn] !== undefined;
  return !isBuiltIn || shipped.has(keyOf(definition)) || !leadership.knowsAll();
}
