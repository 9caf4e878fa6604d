import { isStatus, type Kube, type KubeObject, type KubeRequest, pathOf, StatusError } from '@slipway/kube';
import type { ReferenceFields } from '@slipway/kube-objects/kinds/autoscaler';

/** Scale of autoscaling/v1. */
export interface Scale extends KubeObject {
  spec: { replicas?: number };
  status?: { readonly replicas: number; readonly selector?: string };
}

/** The scale of one object, of whatever kind. */
export interface ScaleOf {
  readonly scale: Scale;
  /** @throws StatusError, Conflict when another client scaled it meanwhile */
  setReplicas(replicas: number, signal: AbortSignal): Promise<void>;
}

/**
 * Reads the scale of what an autoscaler names.
 * @throws StatusError; Error when the kind is not served or does not scale
 */
export async function readScale(
  kube: Kube,
  target: ReferenceFields,
  namespace: string,
  signal: AbortSignal,
): Promise<ScaleOf> {
  const { apiVersion = 'v1', kind = '', name = '' } = target;
  const [group = '', version = ''] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const resource = (await kube.discover(signal)).find({ group, version, kind });
  if (!resource) throw new Error(`no matches for kind "${kind}" in group "${group}"`);
  const path = pathOf(resource, namespace, name, 'scale');
  const scale = (await ask(kube, { method: 'GET', path, signal })) as Scale;
  return {
    scale,
    async setReplicas(replicas, within) {
      const body = { ...scale, spec: { ...scale.spec, replicas } };
      await ask(kube, { method: 'PUT', path, body, signal: within });
    },
  };
}

async function ask(kube: Kube, request: KubeRequest): Promise<unknown> {
  const { status, body } = await kube.transport.request(request);
  if (isStatus(body)) throw new StatusError(body);
  if (status !== 200) throw new Error(`${request.method} ${request.path} was answered with ${status}`);
  return body;
}
