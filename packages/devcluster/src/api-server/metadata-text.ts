import { type KubeObject, stringifyJson } from '@slipway/kube';
import { leanOf, type Served } from './payloads.js';

/**
 * The metadata of a document as JSON. A long list cannot afford to write it anew for each object, so it is
 * cut out of the text that is there, wherever its end can be told from the fields that follow it.
 */
export function metadataText(served: Pick<Served, 'json' | 'object' | 'lean' | 'size'>): string {
  const { json } = served;
  const lean = leanOf(served);
  const [first, second, third, next] = Object.keys(lean);
  if (first === 'apiVersion' && second === 'kind' && third === 'metadata') {
    const start = startOf(lean);
    const end = next === undefined ? json.length - 1 : endBefore(json, start, next);
    if (end > start && json.startsWith('"metadata":{', start - '"metadata":'.length)) return json.slice(start, end);
  }
  return stringifyJson(served.object.metadata);
}

function startOf({ apiVersion, kind }: KubeObject): number {
  return `{"apiVersion":"${apiVersion}","kind":"${kind}","metadata":`.length;
}

/** Behind the brace before the field `next`. Quotes within texts are escaped, so only a field of the metadata could look like it. */
function endBefore(json: string, start: number, next: string): number {
  if (!/^[A-Za-z][A-Za-z0-9]*$/.test(next) || withinMetadata.has(next)) return -1;
  return json.indexOf(`},"${next}":`, start) + 1;
}

/** Names that may follow a brace somewhere inside metadata; those of maps of fields never consist of letters alone. */
const withinMetadata = new Set([
  ...['name', 'generateName', 'namespace', 'selfLink', 'uid', 'resourceVersion', 'generation', 'creationTimestamp'],
  ...['deletionTimestamp', 'deletionGracePeriodSeconds', 'labels', 'annotations', 'ownerReferences', 'finalizers'],
  ...['managedFields', 'manager', 'operation', 'apiVersion', 'time', 'fieldsType', 'fieldsV1', 'subresource'],
]);
