import type { ResourceRef } from '@slipway/kube';

/** Resources of the core group that are read here and there. */
export const Node = core('Node', 'nodes', false);
export const Pod = core('Pod', 'pods', true);

function core(kind: string, plural: string, namespaced: boolean): ResourceRef {
  return { group: '', version: 'v1', kind, plural, namespaced };
}
