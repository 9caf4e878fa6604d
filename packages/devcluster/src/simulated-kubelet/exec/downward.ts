import type { ContainerView } from './container-view.js';

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

function pairs(all: Readonly<Record<string, string>> = {}): string {
  return Object.entries(all)
    .map(([key, value]) => `${key}=${JSON.stringify(value)}\n`)
    .sort()
    .join('');
}
