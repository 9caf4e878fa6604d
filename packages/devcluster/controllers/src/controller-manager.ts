import { minorOf } from '@slipway/api-machinery/schema/supported-versions';
import type { FeatureGate } from '@slipway/feature-gates';
import { type Kube, type Logger, leaderLease, Manager, type Runnable, refOf } from '@slipway/kube';
import { statefulSets } from '@slipway/kube-objects/kinds/api/workloads';
import { maxUnavailableGate } from '@slipway/kube-objects/rules/gate-names';
import { type TokenSecretDeps, tokenSecretController } from './account-tokens/token-secret-controller.js';
import { policyStatusController } from './admission-policy-status/policy-status-controller.js';
import { attachDetachController } from './attach-detach/attach-detach-controller.js';
import { certificateApprovingController } from './certificate-signing/certificate-approving-controller.js';
import { certificateCleaningController } from './certificate-signing/certificate-cleaning-controller.js';
import {
  certificateSigningController,
  type SignCertificate,
} from './certificate-signing/certificate-signing-controller.js';
import { clusterRoleAggregationController } from './cluster-role-aggregation/cluster-role-aggregation-controller.js';
import { cronJobController } from './cron-job/cron-job-controller.js';
import { daemonSetController } from './daemon-set/daemon-set-controller.js';
import { deploymentController } from './deployment/deployment-controller.js';
import { deviceTaintEvictionControllers } from './device-taint-eviction/device-taint-eviction-controller.js';
import { disruptionController } from './disruption/disruption-controller.js';
import { endpointSliceController } from './endpoint-slice/endpoint-slice-controller.js';
import { endpointsController } from './endpoint-slice/endpoints-controller.js';
import { endpointSliceMirroringController } from './endpoint-slice/mirroring-controller.js';
import { ephemeralVolumeController } from './ephemeral-volume/ephemeral-volume-controller.js';
import { GarbageCollector } from './garbage-collection/garbage-collector.js';
import { horizontalPodAutoscalerController } from './horizontal-pod-autoscaler/horizontal-pod-autoscaler-controller.js';
import { jobController } from './job/job-controller.js';
import { ttlController } from './job/ttl-controller.js';
import { namespaceController } from './namespace/namespace-controller.js';
import { nodeLifecycleController } from './node-lifecycle/node-lifecycle-controller.js';
import { podCollector } from './node-lifecycle/pod-collector.js';
import { taintEvictionController } from './node-lifecycle/taint-eviction-controller.js';
import { claimController, volumeController } from './persistent-volume/persistent-volume-controller.js';
import { replicaSetController, replicationController } from './replica-set/replica-set-controller.js';
import { claimReleaseController } from './resource-claim/claim-release-controller.js';
import { podClaimsController } from './resource-claim/pod-claims-controller.js';
import { resourceQuotaController } from './resource-quota/resource-quota-controller.js';
import { rootCaPublisher } from './service-account/root-ca-publisher.js';
import { serviceAccountController } from './service-account/service-account-controller.js';
import { serviceCidrController } from './service-addresses/service-cidr-controller.js';
import { statefulSetController } from './stateful-set/stateful-set-controller.js';
import { storageMigrationController } from './storage-migration/storage-migration-controller.js';
import {
  claimProtectionController,
  volumeProtectionController,
} from './storage-protection/storage-protection-controllers.js';

const lookAgainMs = 50;

export interface ControllerManagerOptions {
  /** Fills the caches that the controllers share. */
  readonly kube: Kube;
  /** What each controller writes by, as the service account of its name. Default: `kube` for all. */
  readonly kubeFor?: (controller: string) => Kube;
  readonly log: Logger;
  /** Read live by the controllers that it concerns. */
  readonly gate: FeatureGate;
  /** Kubernetes version of the oldest API server, such as `1.36`: what it does not serve is not watched. Default: that of `gate`. */
  readonly serverVersion?: string;
  /** Who it is in its lease as the leader, so that others see whether it lives; none is kept without. */
  readonly identity?: string;
  /** Signs certificates of the cluster; requests for them stay unsigned without. */
  readonly signCertificate?: SignCertificate;
  /** Signs the tokens in secrets; secrets that ask for one get none without. */
  readonly signToken?: TokenSecretDeps['signToken'];
  /** Certificate of the authority that signed the API server's, in PEM. */
  readonly caCertificate: string;
}

/** Every controller of the cluster, ready to start: one run of kube-controller-manager. */
export function controllerManager(options: ControllerManagerOptions): Manager {
  const { kube, kubeFor = () => kube, log, gate, identity, caCertificate, signToken } = options;
  const { signCertificate: sign, serverVersion = gate.emulationVersion } = options;
  const manager = new Manager({ kube, log });
  if (identity !== undefined) manager.add(leaderLease(kube, log, 'kube-controller-manager', identity));
  const as = (controller: string) => ({ kube: kubeFor(controller), log, informers: manager.informers });
  const minor = minorOf(gate.emulationVersion);
  const countsTerminating = minor >= 35;
  const sets = statefulSetController({ ...as('statefulset-controller'), gate, completesOnDelete: minor >= 37 });
  for (const member of [
    namespaceController(as('namespace-controller')),
    serviceAccountController(as('service-account-controller')),
    // As in Kubernetes the one that gives service accounts their tokens has none of its own.
    ...(signToken
      ? [tokenSecretController({ kube, log, informers: manager.informers, signToken, caCertificate })]
      : []),
    rootCaPublisher({ ...as('root-ca-cert-publisher'), caCertificate }),
    clusterRoleAggregationController(as('clusterrole-aggregation-controller')),
    replicaSetController(as('replicaset-controller'), countsTerminating),
    replicationController(as('replication-controller')),
    deploymentController(as('deployment-controller'), countsTerminating),
    daemonSetController(as('daemon-set-controller')),
    disruptionController(as('disruption-controller')),
    jobController(as('job-controller')),
    ttlController(as('ttl-after-finished-controller')),
    cronJobController(as('cronjob-controller')),
    endpointSliceController(as('endpointslice-controller')),
    endpointsController(as('endpoint-controller')),
    endpointSliceMirroringController(as('endpointslicemirroring-controller')),
    serviceCidrController(as('service-cidrs-controller')),
    claimController(as('persistent-volume-binder')),
    volumeController(as('persistent-volume-binder')),
    attachDetachController(as('attachdetach-controller')),
    ephemeralVolumeController(as('ephemeral-volume-controller')),
    podClaimsController(as('resource-claim-controller')),
    claimReleaseController(as('resource-claim-controller')),
    ...deviceTaintEvictionControllers(as('device-taint-eviction-controller'), minorOf(serverVersion) >= 37),
    claimProtectionController(as('pvc-protection-controller')),
    volumeProtectionController(as('pv-protection-controller')),
    sets,
    new GarbageCollector(as('generic-garbage-collector')),
    nodeLifecycleController(as('node-controller')),
    taintEvictionController(as('node-controller')),
    podCollector(as('pod-garbage-collector')),
    policyStatusController(as('validatingadmissionpolicy-status-controller')),
    horizontalPodAutoscalerController({ ...as('horizontal-pod-autoscaler'), gate }),
    certificateApprovingController(as('certificate-controller')),
    certificateCleaningController(as('certificate-controller')),
    ...(servesMigrations(serverVersion) ? [storageMigrationController(as('storage-version-migrator-controller'))] : []),
    ...(sign ? [certificateSigningController({ ...as('certificate-controller'), sign })] : []),
    ...resourceQuotaController(as('resourcequota-controller')),
  ]) {
    manager.add(member);
  }
  // A rolling update under way goes on by the new value, not only when something else happens. The value counts
  // once this returned, hence the delay.
  const lookAgain = () => {
    for (const set of manager.informers.informer(statefulSets).lister.list()) sets.enqueue(refOf(set), lookAgainMs);
  };
  manager.add(whileRunning('statefulset-gate', () => gate.onChange(maxUnavailableGate, lookAgain)));
  return manager;
}

/** Kubernetes serves storage migrations by default since 1.37. */
function servesMigrations(version: string): boolean {
  return minorOf(version) >= 37;
}

/** What is followed from start to stop; the gate may outlive this run, and would keep all that it knows. */
function whileRunning(name: string, follow: () => { close(): void }): Runnable {
  let following: { close(): void } | undefined;
  return {
    name,
    start: () => {
      following = follow();
    },
    stop: () => following?.close(),
  };
}
