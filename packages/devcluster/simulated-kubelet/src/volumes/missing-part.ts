import type { KubeObject } from '@slipway/kube';
import type { ItemFields } from '@slipway/kube-objects/kinds/pod-spec';
import type { AwaitedSource } from './awaited-sources.js';

/**
 * Describes in a kubelet's words what a volume lacks: the ConfigMap or Secret that it is made of, or a key of it.
 * Undefined when it lacks nothing.
 *
 * @param object undefined when it does not exist
 */
export function missingPart(
  { configMap, secret }: Pick<AwaitedSource, 'configMap' | 'secret'>,
  object: KubeObject | undefined,
): string | undefined {
  const { name = '', items } = configMap ?? secret ?? {};
  if (!object) return `${configMap ? 'configmap' : 'secret'} ${JSON.stringify(name)} not found`;
  const key = missingKey(object, items);
  if (key === undefined) return undefined;
  return configMap
    ? `configmap references non-existent config key: ${key}`
    : `references non-existent secret key: ${key}`;
}

function missingKey({ data, binaryData }: KubeObject, items: readonly ItemFields[] = []): string | undefined {
  const keys = new Set([data, binaryData].flatMap((each) => Object.keys(each ?? {})));
  return items.find(({ key }) => !keys.has(key))?.key;
}
