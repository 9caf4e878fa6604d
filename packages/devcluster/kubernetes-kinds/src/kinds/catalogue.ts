import { customResourceDefinitions } from '@slipway/api-server/crd/definition-kind';
import type { ResourceDefinition } from '@slipway/api-server/registry/resource-definition';
import { apiServices } from './api-service.js';
import { bindings } from './binding.js';
import { certificateSigningRequests } from './certificate-signing-request.js';
import { clusterRoles } from './cluster-role.js';
import { clusterRoleBindings } from './cluster-role-binding.js';
import { clusterTrustBundles } from './cluster-trust-bundle.js';
import { componentStatuses } from './component-status.js';
import { configMaps } from './config-map.js';
import { controllerRevisions } from './controller-revision.js';
import { cronJobs } from './cron-job.js';
import { csiDrivers } from './csi-driver.js';
import { csiNodes } from './csi-node.js';
import { csiStorageCapacities } from './csi-storage-capacity.js';
import { daemonSets } from './daemon-set.js';
import { deployments } from './deployment.js';
import { deviceClasses } from './device-class.js';
import { deviceTaintRules } from './device-taint-rule.js';
import { endpointSlices } from './endpoint-slice.js';
import { endpoints } from './endpoints.js';
import { events, eventsV1 } from './event.js';
import { flowSchemas } from './flow-schema.js';
import { horizontalPodAutoscalers, horizontalPodAutoscalersV1 } from './horizontal-pod-autoscaler.js';
import { ingresses } from './ingress.js';
import { ingressClasses } from './ingress-class.js';
import { ipAddresses } from './ip-address.js';
import { jobs } from './job.js';
import { leases } from './lease.js';
import { limitRanges } from './limit-range.js';
import { localSubjectAccessReviews } from './local-subject-access-review.js';
import { mutatingAdmissionPolicies } from './mutating-admission-policy.js';
import { mutatingAdmissionPolicyBindings } from './mutating-admission-policy-binding.js';
import { mutatingWebhookConfigurations } from './mutating-webhook-configuration.js';
import { namespaces } from './namespace.js';
import { networkPolicies } from './network-policy.js';
import { nodes } from './node.js';
import { persistentVolumes } from './persistent-volume.js';
import { persistentVolumeClaims } from './persistent-volume-claim.js';
import { pods } from './pod.js';
import { podCertificateRequests } from './pod-certificate-request.js';
import { podDisruptionBudgets } from './pod-disruption-budget.js';
import { podTemplates } from './pod-template.js';
import { priorityClasses } from './priority-class.js';
import { priorityLevelConfigurations } from './priority-level-configuration.js';
import { replicaSets } from './replica-set.js';
import { replicationControllers } from './replication-controller.js';
import { resourceClaims } from './resource-claim.js';
import { resourceClaimTemplates } from './resource-claim-template.js';
import { resourceQuotas } from './resource-quota.js';
import { resourceSlices } from './resource-slice.js';
import { roles } from './role.js';
import { roleBindings } from './role-binding.js';
import { runtimeClasses } from './runtime-class.js';
import { secrets } from './secret.js';
import { selfSubjectAccessReviews } from './self-subject-access-review.js';
import { selfSubjectReviews } from './self-subject-review.js';
import { selfSubjectRulesReviews } from './self-subject-rules-review.js';
import { services } from './service.js';
import { serviceAccounts } from './service-account.js';
import { serviceCidrs } from './service-cidr.js';
import { statefulSets } from './stateful-set.js';
import { storageClasses } from './storage-class.js';
import { storageVersionMigrations } from './storage-version-migration.js';
import { subjectAccessReviews } from './subject-access-review.js';
import { tokenReviews } from './token-review.js';
import { validatingAdmissionPolicies } from './validating-admission-policy.js';
import { validatingAdmissionPolicyBindings } from './validating-admission-policy-binding.js';
import { validatingWebhookConfigurations } from './validating-webhook-configuration.js';
import { volumeAttachments } from './volume-attachment.js';
import { volumeAttributesClasses } from './volume-attributes-class.js';

/** The kinds that every API server of the simulator serves. */
export function builtInDefinitions(): ResourceDefinition[] {
  return [
    apiServices,
    bindings,
    componentStatuses,
    configMaps,
    endpoints,
    events,
    limitRanges,
    namespaces,
    nodes,
    persistentVolumeClaims,
    persistentVolumes,
    pods,
    podTemplates,
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
    horizontalPodAutoscalers,
    horizontalPodAutoscalersV1,
    cronJobs,
    jobs,
    certificateSigningRequests,
    clusterTrustBundles,
    podCertificateRequests,
    endpointSlices,
    ingressClasses,
    ingresses,
    ipAddresses,
    networkPolicies,
    serviceCidrs,
    leases,
    eventsV1,
    podDisruptionBudgets,
    runtimeClasses,
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
    csiDrivers,
    csiNodes,
    csiStorageCapacities,
    storageClasses,
    volumeAttachments,
    volumeAttributesClasses,
    storageVersionMigrations,
    deviceClasses,
    deviceTaintRules,
    resourceClaims,
    resourceClaimTemplates,
    resourceSlices,
    flowSchemas,
    priorityLevelConfigurations,
    mutatingWebhookConfigurations,
    validatingWebhookConfigurations,
    ...mutatingAdmissionPolicies,
    ...mutatingAdmissionPolicyBindings,
    validatingAdmissionPolicies,
    validatingAdmissionPolicyBindings,
    customResourceDefinitions,
  ];
}
