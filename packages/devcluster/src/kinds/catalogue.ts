import { customResourceDefinitions } from '../crd/definition-kind.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { configMaps } from './config-map.js';
import { controllerRevisions } from './controller-revision.js';
import { daemonSets } from './daemon-set.js';
import { deployments } from './deployment.js';
import { events, eventsV1 } from './event.js';
import { jobs } from './job.js';
import { leases } from './lease.js';
import { namespaces } from './namespace.js';
import { nodes } from './node.js';
import { persistentVolumes } from './persistent-volume.js';
import { persistentVolumeClaims } from './persistent-volume-claim.js';
import { pods } from './pod.js';
import { podDisruptionBudgets } from './pod-disruption-budget.js';
import { priorityClasses } from './priority-class.js';
import { replicaSets } from './replica-set.js';
import { secrets } from './secret.js';
import { services } from './service.js';
import { serviceAccounts } from './service-account.js';
import { statefulSets } from './stateful-set.js';

/** The kinds that every API server of the simulator serves. */
export function builtInDefinitions(): ResourceDefinition[] {
  return [
    configMaps,
    events,
    namespaces,
    nodes,
    persistentVolumeClaims,
    persistentVolumes,
    pods,
    secrets,
    serviceAccounts,
    services,
    controllerRevisions,
    daemonSets,
    deployments,
    replicaSets,
    statefulSets,
    jobs,
    leases,
    eventsV1,
    podDisruptionBudgets,
    priorityClasses,
    customResourceDefinitions,
  ];
}
