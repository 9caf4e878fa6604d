import { parseQuantity } from '@slipway/kube';
import type { ContainerFields } from '@slipway/kube-objects/kinds/pod-spec';
import type { ContainerView } from './container-view.js';

interface ResourceField {
  readonly containerName?: string;
  readonly resource?: string;
  readonly divisor?: string | number;
}

/** Returns the value of a downward API field as a string; '' when the pod does not set it. */
export function fieldText({ pod }: Pick<ContainerView, 'pod'>, path: string): string {
  const { metadata, spec, status } = pod;
  const keyed = /^metadata\.(labels|annotations)\['(.+)'\]$/.exec(path);
  if (keyed) return metadata[keyed[1] as 'labels' | 'annotations']?.[keyed[2] as string] ?? '';
  const fields: Readonly<Record<string, string | undefined>> = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'metadata.uid': metadata.uid,
    'metadata.labels': pairs(metadata.labels),
    'metadata.annotations': pairs(metadata.annotations),
    'spec.nodeName': spec.nodeName,
    'spec.serviceAccountName': spec.serviceAccountName,
    'status.podIP': status?.podIP,
    'status.podIPs': status?.podIPs?.map(({ ip }) => ip).join(','),
    'status.hostIP': status?.hostIP,
    'status.hostIPs': status?.hostIP,
  };
  return fields[path] ?? '';
}

/**
 * Returns an amount that a container requests or is limited to, in units of the divisor, rounded up. What a container
 * is not limited to is all that its node has.
 */
export function resourceText(
  { pod, container, lookUp }: Pick<ContainerView, 'pod' | 'container' | 'lookUp'>,
  { containerName, resource: path = '', divisor = '1' }: ResourceField,
): string | undefined {
  const all = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])] as unknown as readonly ContainerFields[];
  const of = containerName === undefined ? container : all.find(({ name }) => name === containerName);
  const [list = '', ...rest] = path.split('.');
  const name = rest.join('.');
  if (!of || (list !== 'limits' && list !== 'requests')) return undefined;
  const given = of.resources?.[list]?.[name];
  const ofNode = lookUp('nodes', pod.spec.nodeName ?? '')?.status?.allocatable?.[name];
  const amount = parseQuantity(given ?? (list === 'limits' ? ofNode : undefined) ?? '0').nano;
  const unit = parseQuantity(divisor === '0' ? '1' : divisor).nano || parseQuantity('1').nano;
  return String((amount + unit - 1n) / unit);
}

function pairs(all: Readonly<Record<string, string>> = {}): string {
  return Object.entries(all)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}\n`)
    .sort()
    .join('');
}
