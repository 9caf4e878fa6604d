import { textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { ResourceDefinition } from '@slipway/api-server/registry/resource-definition';
import type { KubeObject } from '@slipway/kube';
import type { Store } from '@slipway/object-store/store';

interface Finding {
  readonly status: 'True' | 'False';
  readonly message?: string;
  readonly error?: string;
}

/** How the components are, as `kubectl get cs` asks for it: worked out for each request from what they say themselves. */
export const componentStatuses: ResourceDefinition = {
  ...defineResource({
    group: '',
    version: 'v1',
    kind: 'ComponentStatus',
    plural: 'componentstatuses',
    shortNames: ['cs'],
    namespaced: false,
    message: 'core.v1.ComponentStatus',
    verbs: ['get', 'list'],
    storedAs: '',
    deprecationWarning: 'v1 ComponentStatus is deprecated in v1.19+',
    columns: [
      textColumn('Status', 'Whether it is well.', (object) => stateOf(object)),
      textColumn('Message', 'What it says.', (object) => healthOf(object)?.message ?? ''),
      textColumn('Error', 'What is wrong.', (object) => healthOf(object)?.error ?? ''),
    ],
  }),
  computed: (reader, _namespace, nowMs) => [
    componentStatus('controller-manager', leaderFinding(reader, 'kube-controller-manager', nowMs)),
    // The store is part of the server that answers.
    componentStatus('etcd-0', well),
    componentStatus('scheduler', leaderFinding(reader, 'kube-scheduler', nowMs)),
  ],
};

const well: Finding = { status: 'True', message: 'ok' };

/** A component is well while it renews the lease by which it leads. */
function leaderFinding(reader: Pick<Store, 'list'>, component: string, nowMs: number): Finding {
  const { entries } = reader.list('leases.coordination.k8s.io', { namespace: 'kube-system' });
  const spec = entries.find(({ name }) => name === component)?.object.spec;
  const renewedMs = Date.parse(spec?.renewTime ?? '');
  if (nowMs - renewedMs <= (spec?.leaseDurationSeconds ?? 0) * 1000) return well;
  return { status: 'False', error: `lease kube-system/${component} is not renewed` };
}

function componentStatus(name: string, finding: Finding): KubeObject {
  const conditions = [{ type: 'Healthy', ...finding }];
  return { kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name }, conditions };
}

function healthOf({ conditions = [] }: KubeObject): (Finding & { readonly type: string }) | undefined {
  return conditions.find(({ type }: { type: string }) => type === 'Healthy');
}

function stateOf(object: KubeObject): string {
  const status = healthOf(object)?.status;
  return status === 'True' ? 'Healthy' : status === 'False' ? 'Unhealthy' : 'Unknown';
}
