import { accountUserName } from '@slipway/api-machinery/identity/service-account';
import type { Pod } from '@slipway/kube-objects/kinds/api/pods';
import type { Core } from '../core/core.js';

/** A new token of a pod's service account that lives and dies with the pod, as its kubelet asks for. */
export function podToken(
  core: Core,
  { metadata, spec }: Pod,
  seconds: number,
  audience: string | undefined,
): Promise<string> {
  const { name = '', namespace = '', uid = '' } = metadata;
  const account = spec.serviceAccountName ?? 'default';
  const uidOf = (resource: string, space: string, named: string) =>
    core.store.get(resource, space, named)?.metadata.uid ?? '';
  const node = spec.nodeName ?? '';
  const claims = {
    aud: audience === undefined ? core.tokens.audiences : [audience],
    exp: Math.floor(core.clock.now() / 1000) + seconds,
    sub: accountUserName(namespace, account),
    'kubernetes.io': {
      namespace,
      serviceaccount: { name: account, uid: uidOf('serviceaccounts', namespace, account) },
      pod: { name, uid },
      node: { name: node, uid: uidOf('nodes', '', node) },
    },
  };
  return core.tokens.issue(claims, core.random.uid());
}
