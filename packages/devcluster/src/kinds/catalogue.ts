import { customResourceDefinitions } from '../crd/definition-kind.js';
import { nodeMetrics } from '../metrics-api/node-metrics.js';
import { podMetrics } from '../metrics-api/pod-metrics.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import { clusterRoles } from './cluster-role.js';
import { clusterRoleBindings } from './cluster-role-binding.js';
import { configMaps } from './config-map.js';
import { controllerRevisions } from './controller-revision.js';
import { cronJobs } from './cron-job.js';
import { daemonSets } from './daemon-set.js';
import { deployments } from './deployment.js';
import { endpointSlices } from './endpoint-slice.js';
import { endpoints } from './endpoints.js';
import { events, eventsV1 } from './event.js';
import { flowSchemas } from './flow-schema.js';
import { ingresses } from './ingress.js';
import { jobs } from './job.js';
import { leases } from './lease.js';
import { limitRanges } from './limit-range.js';
import { localSubjectAccessReviews } from './local-subject-access-review.js';
import { mutatingAdmissionPolicies } from './mutating-admission-policy.js';
import { mutatingAdmissionPolicyBindings } from './mutating-admission-policy-binding.js';
import { mutatingWebhookConfigurations } from './mutating-webhook-configuration.js';
import { namespaces } from './namespace.js';
import { nodes } from './node.js';
import { persistentVolumes } from './persistent-volume.js';
import { persistentVolumeClaims } from './persistent-volume-claim.js';
import { pods } from './pod.js';
import { podDisruptionBudgets } from './pod-disruption-budget.js';
import { priorityClasses } from './priority-class.js';
import { priorityLevelConfigurations } from './priority-level-configuration.js';
import { replicaSets } from './replica-set.js';
import { replicationControllers } from './replication-controller.js';
import { resourceQuotas } from './resource-quota.js';
import { roles } from './role.js';
import { roleBindings } from './role-binding.js';
import { secrets } from './secret.js';
import { selfSubjectAccessReviews } from './self-subject-access-review.js';
import { selfSubjectReviews } from './self-subject-review.js';
import { selfSubjectRulesReviews } from './self-subject-rules-review.js';
import { services } from './service.js';
import { serviceAccounts } from './service-account.js';
import { statefulSets } from './stateful-set.js';
import { storageClasses } from './storage-class.js';
import { subjectAccessReviews } from './subject-access-review.js';
import { tokenReviews } from './token-review.js';
import { validatingAdmissionPolicies } from './validating-admission-policy.js';
import { validatingAdmissionPolicyBindings } from './validating-admission-policy-binding.js';
import { validatingWebhookConfigurations } from './validating-webhook-configuration.js';

/** The kinds that every API server of the simulator serves. */
export function builtInDefinitions(): ResourceDefinition[] {
  return [
    configMaps,
    endpoints,
    events,
    limitRanges,
    namespaces,
    nodes,
    persistentVolumeClaims,
    persistentVolumes,
    pods,
    replicationControllers,
    resourceQuotas,
    secrets,
    serviceAccounts,
    services,
    controllerRevisions,
    daemonSets,
    deployments,
    replicaSets,
    statefulSets,
    cronJobs,
    jobs,
    endpointSlices,
    ingresses,
    leases,
    eventsV1,
    podDisruptionBudgets,
    tokenReviews,
    selfSubjectReviews,
    localSubjectAccessReviews,
    selfSubjectAccessReviews,
    selfSubjectRulesReviews,
    subjectAccessReviews,
    clusterRoleBindings,
    clusterRoles,
    roleBindings,
    roles,
    priorityClasses,
    storageClasses,
    flowSchemas,
    priorityLevelConfigurations,
    mutatingWebhookConfigurations,
    validatingWebhookConfigurations,
    ...mutatingAdmissionPolicies,
    ...mutatingAdmissionPolicyBindings,
    validatingAdmissionPolicies,
    validatingAdmissionPolicyBindings,
    customResourceDefinitions,
    nodeMetrics,
    podMetrics,
  ];
}
