import { type Kube, type KubeObject, setCondition } from '@slipway/kube';
import { namespaces } from '@slipway/kube-objects/kinds/api/core';
import { serviceCidrs } from '@slipway/kube-objects/kinds/api/service-addresses';
import { services } from '@slipway/kube-objects/kinds/api/services';
import { priorityClasses, systemClasses } from '@slipway/kube-objects/kinds/priority-class-system';
import type { AddressRange } from '@slipway/kube-objects/rules/address-range';
import { bootstrapFlows } from './bootstrap-flows.js';
import { bootstrapRoles } from './bootstrap-roles.js';
import { objectEnsurer } from './ensure-objects.js';
import { ignoreConflict } from './ignore-conflict.js';

/**
 * Makes the objects every cluster has: its first namespaces, the service that is the API
 * server, the roles of people and components, the flows of requests, and the priority
 * classes of what a cluster cannot be without. What is there already stays as it is.
 * @param minor 37 of 1.37
 * @param range of the addresses of services
 */
export async function bootstrapObjects(
  kube: Kube,
  minor: number,
  serverPort: number,
  range: AddressRange,
): Promise<void> {
  const ensure = objectEnsurer(kube);
  await Promise.all(firstNamespaces.map((name) => ensure(namespaces, namespace(name))));
  await Promise.all([
    bootstrapRoles(kube, minor),
    ensure(services, kubernetesService(serverPort, range.at(0))),
    ...builtInClasses().map((object) => ensure(priorityClasses, object)),
    bootstrapFlows(kube),
    serviceRange(kube, range),
  ]);
}

const firstNamespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

function namespace(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

function kubernetesService(serverPort: number, address: string): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { component: 'apiserver', provider: 'kubernetes' },
    },
    spec: {
      type: 'ClusterIP',
      clusterIP: address,
      clusterIPs: [address],
      ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: serverPort }],
    },
  };
}

function builtInClasses(): readonly KubeObject[] {
  return [...systemClasses].map(([name, fields]) => ({
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name },
    ...fields,
  }));
}

/** The range that services get their addresses from. */
async function serviceRange(kube: Kube, range: AddressRange): Promise<void> {
  const name = 'kubernetes';
  const client = kube.resource(serviceCidrs);
  if (await client.find({ name })) return;
  const metadata = { name, finalizers: ['networking.k8s.io/service-cidr-finalizer'] };
  const spec = { cidrs: [range.cidr] };
  await ignoreConflict(client.create({ apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', metadata, spec }));
  const ready = { type: 'Ready', status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' } as const;
  await client.mergeStatus({ name }, { status: { conditions: setCondition([], ready, kube.clock.now()) } });
}
