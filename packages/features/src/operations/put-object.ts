import { installer, type Kube, type KubeObject, type ResourceRef } from '@slipway/kube';

/** Creates an object, or brings the one that is there to what is wanted. */
export async function putObject(
  kube: Kube,
  resource: ResourceRef,
  wanted: KubeObject,
  signal?: AbortSignal,
): Promise<void> {
  const { name = '', ...metadata } = wanted.metadata;
  const options = { fieldManager: installer, force: true, signal };
  await kube.resource(resource).apply({ ...wanted, metadata: { ...metadata, name } }, options);
}
