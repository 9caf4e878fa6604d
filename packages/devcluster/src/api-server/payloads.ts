import { type KubeObject, stringifyJson } from '@slipway/kube';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import type { Entry } from '../storage/store.js';
import type { JsonPayload } from './request.js';

// Kubernetes ends every document with a newline, and so do we.

/** A stored object in the version that is served: as it is stored, or seen through the definition's view. */
export interface Served {
  readonly json: string;
  readonly object: KubeObject;
  /** The object's metadata where it is there without the rest. */
  readonly metadata?: KubeObject['metadata'];
}

/** What has the metadata of a document, without parsing the rest where that can be helped. */
export function bareOf(served: Served): Pick<KubeObject, 'metadata'> {
  return served.metadata ? { metadata: served.metadata } : served.object;
}

const viewed = new WeakMap<Entry, Map<ResourceDefinition, Served>>();

/** The entry as `definition` serves it. Without a view that is the entry itself: nothing is encoded again. */
export function serve(definition: ResourceDefinition, entry: Entry): Served {
  const view = definition.view;
  if (!view) return entry;
  let byDefinition = viewed.get(entry);
  if (!byDefinition) {
    byDefinition = new Map();
    viewed.set(entry, byDefinition);
  }
  let served = byDefinition.get(definition);
  if (!served) {
    const object = view.fromStored(entry.object);
    served = { object, json: object === entry.object ? entry.json : stringifyJson(object) };
    byDefinition.set(definition, served);
  }
  return served;
}

/** A document that exists in both forms, or is encoded when first needed. */
export function servedPayload(served: Served): JsonPayload {
  return { text: () => `${served.json}\n`, value: () => served.object };
}

/** A document made for this answer. */
export function valuePayload(value: unknown): JsonPayload {
  return { text: () => `${stringifyJson(value)}\n`, value: () => value };
}

/** Metadata of a list. */
export interface ListMeta {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** A list whose items are already encoded: concatenated, never parsed or encoded again. */
export function listPayload(head: { kind: string; apiVersion: string; metadata: ListMeta }, items: readonly Served[]) {
  const payload: JsonPayload = {
    text() {
      const pieces = [`${JSON.stringify(head).slice(0, -1)},"items":[`];
      items.forEach((item, index) => {
        pieces.push(index === 0 ? item.json : `,${item.json}`);
      });
      pieces.push(']}\n');
      return pieces;
    },
    value: () => ({ ...head, items: items.map((item) => item.object) }),
  };
  return payload;
}
