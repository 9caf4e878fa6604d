import { badRequest } from '@slipway/api-machinery/errors/status-errors';
import type { KubeObject } from '@slipway/kube';

/**
 * The name of the container that a request about a pod means.
 * @throws StatusError BadRequest when it has to be named, or there is none of this name
 */
export function containerNamed({ metadata, spec }: KubeObject, named: string): string {
  const all: readonly { name: string }[] = [
    ...(spec.initContainers ?? []),
    ...spec.containers,
    ...(spec.ephemeralContainers ?? []),
  ];
  const names = all.map(({ name }) => name);
  if (named !== '') {
    if (!names.includes(named)) throw badRequest(`container ${named} is not valid for pod ${metadata.name}`);
    return named;
  }
  const [only, another] = spec.containers;
  if (!another) return only.name;
  throw badRequest(`a container name must be specified for pod ${metadata.name}, choose one of: [${names.join(' ')}]`);
}
