import type { KubeObject, ResourceRef } from '../transport/objects.js';

/** A resource for tests of the machinery. */
export interface Widget extends KubeObject {
  spec: { size: number };
  status?: { ready?: number };
}

export const Widgets: ResourceRef<Widget> = {
  group: 'test.slipway.dev',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
};

export function aWidget(
  name: string,
  overrides: { size?: number; namespace?: string; labels?: Record<string, string> } = {},
): Widget {
  const { size = 1, namespace = 'default', labels } = overrides;
  return {
    apiVersion: 'test.slipway.dev/v1',
    kind: 'Widget',
    metadata: { name, namespace, ...(labels ? { labels } : {}) },
    spec: { size },
  };
}
