import type { KubeObject, ResourceRef } from '@slipway/kube';
import { definitionOf } from '@slipway/kube-objects/testing/objects';

/** The resource that `aCustomKind` defines. */
export const customObjects: ResourceRef = {
  group: 'example.com',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
};

/** A kind `Widget` without any rules. */
export function aCustomKind(): KubeObject {
  return definitionOf(customObjects, { type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
}

export function aCustomObject(name: string, namespace = 'default'): KubeObject {
  return { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name, namespace } };
}
