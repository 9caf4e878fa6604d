import {
  Controller,
  hasReason,
  type KubeObject,
  type ObjectRef,
  type Reconciler,
  refOf,
  retryLostRaces,
  sameJson,
} from '@slipway/kube';
import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaims,
  persistentVolumes,
  type StorageClass,
  storageClasses,
} from '@slipway/kube-objects/kinds/api/volumes';
import { bindCompleted, boundByController, referenceTo } from '@slipway/kube-objects/rules/match-volume';
import { RecordedClient } from '../workloads/recorded-client.js';
import type { WorkloadDeps } from '../workloads/workload-deps.js';
import { ourDriver, ourProvisioner, planClaim } from './plan-claim.js';
import { boundStatus, growth, planVolume, provisionedBy } from './plan-volume.js';

/** On a claim whose volume is to be made: by which provisioner. The second one is for those of before Kubernetes 1.23. */
const provisionerAnnotations = [
  'volume.kubernetes.io/storage-provisioner',
  'volume.beta.kubernetes.io/storage-provisioner',
];

/** Finds or makes the volume of each PersistentVolumeClaim. */
export function claimController(deps: WorkloadDeps): Controller {
  const claims = deps.informers.informer(persistentVolumeClaims).lister;
  const pending = () => claims.list().filter(({ status }) => status?.phase !== 'Bound');
  return new Controller({
    ...deps,
    name: 'persistentvolume-controller',
    for: persistentVolumeClaims,
    watches: [
      { of: persistentVolumes, map: (volume) => [...claimOf(volume), ...pending().map(refOf)] },
      { of: storageClasses, map: () => pending().map(refOf) },
    ],
    reconcile: retryLostRaces(claimReconciler(deps)),
  });
}

/** Says of each PersistentVolume whether it is free, and deletes those whose claim is gone. */
export function volumeController(deps: WorkloadDeps): Controller {
  const volumes = deps.informers.informer(persistentVolumes).lister;
  const keptFor = ({ metadata }: KubeObject) =>
    volumes.list().filter(({ spec }) => {
      const { name, namespace } = spec.claimRef ?? {};
      return name === metadata.name && namespace === metadata.namespace;
    });
  return new Controller({
    ...deps,
    name: 'persistentvolume-controller',
    for: persistentVolumes,
    watches: [{ of: persistentVolumeClaims, map: (claim) => keptFor(claim).map(refOf) }],
    reconcile: retryLostRaces(volumeReconciler(deps)),
  });
}

function claimOf(volume: KubeObject): readonly ObjectRef[] {
  const { name, namespace } = (volume as PersistentVolume).spec.claimRef ?? {};
  return name ? [{ name, namespace }] : [];
}

/** Observes one claim with all volumes, and binds it to one, making it if need be. */
function claimReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const claims = new RecordedClient({ kube, informers }, persistentVolumeClaims);
  const volumes = new RecordedClient({ kube, informers }, persistentVolumes);
  const classes = informers.informer(storageClasses).lister;

  return async (ref, { signal, events }) => {
    const claim = claims.get(ref);
    if (!claim || claim.metadata.deletionTimestamp || claim.status?.phase === 'Lost') return;
    const all = volumes.over(informers.informer(persistentVolumes).lister.list(), () => true);
    const ofClaim = classes.get({ name: claim.spec.storageClassName ?? '' });
    const plan = planClaim(claim, all, ofClaim);
    switch (plan.kind) {
      case 'wait':
        events.event(claim, plan.type, plan.reason, plan.message);
        return;
      case 'delegate':
        await nameProvisioner(claim, plan.provisioner);
        events.event(claim, 'Normal', 'ExternalProvisioning', plan.message);
        return;
      case 'lose':
        events.event(
          claim,
          'Warning',
          'ClaimLost',
          'Bound claim has lost its PersistentVolume. Data on the volume is lost!',
        );
        await claims.mergeStatus(ref, { phase: 'Lost' }, signal);
        return;
      case 'provision': {
        const volume = await provision(claim, plan.storageClass);
        const message = `Successfully provisioned volume ${volume.metadata.name}`;
        events.event(claim, 'Normal', 'ProvisioningSucceeded', message);
        return bind(claim, volume);
      }
      case 'bind':
        return bind(claim, await grown(plan.volume));
    }

    /** Provisioners wait until a claim names them. */
    async function nameProvisioner({ metadata }: PersistentVolumeClaim, provisioner: string): Promise<void> {
      const named = Object.fromEntries(provisionerAnnotations.map((name) => [name, provisioner]));
      if (sameJson({ ...metadata.annotations, ...named }, metadata.annotations)) return;
      const { resourceVersion } = metadata;
      await claims.merge(ref, { metadata: { resourceVersion, annotations: named } }, signal);
    }

    /** What the claim asks for it gets before it is told: the volume first, then its own status. */
    async function grown(volume: PersistentVolume): Promise<PersistentVolume> {
      const storage = claim && growth(volume, claim, ofClaim);
      if (storage === undefined) return volume;
      const metadata = { resourceVersion: volume.metadata.resourceVersion };
      const spec = { capacity: { ...volume.spec.capacity, storage } };
      const written = await volumes.merge(refOf(volume), { metadata, spec }, signal);
      if (claim) events.event(claim, 'Normal', 'VolumeResizeSuccessful', 'Resize volume succeeded');
      return written;
    }

    async function provision(wanting: PersistentVolumeClaim, storageClass: StorageClass): Promise<PersistentVolume> {
      const wanted = volumeFor(wanting, storageClass);
      try {
        return await volumes.create(wanted, signal);
      } catch (error) {
        // Its name is made of the claim's UID: it is there from an earlier attempt.
        if (!hasReason(error, 'AlreadyExists')) throw error;
        return await volumes.client.get(refOf(wanted), signal);
      }
    }

    /** Each step looks whether it was done before: the process may have ended between any two. */
    async function bind(unbound: PersistentVolumeClaim, free: PersistentVolume): Promise<void> {
      const claimRef = referenceTo(unbound);
      if (free.spec.claimRef?.uid !== claimRef.uid) {
        const metadata = {
          resourceVersion: free.metadata.resourceVersion,
          annotations: { [boundByController]: 'yes' },
        };
        await volumes.merge(refOf(free), { metadata, spec: { claimRef } }, signal);
      }
      let bound = unbound;
      if (bound.spec.volumeName !== free.metadata.name || !bound.metadata.annotations?.[bindCompleted]) {
        const annotations = { [bindCompleted]: 'yes', ...(!bound.spec.volumeName && { [boundByController]: 'yes' }) };
        const patch = { metadata: { annotations }, spec: { volumeName: free.metadata.name } };
        bound = await claims.merge(ref, patch, signal);
      }
      const status = boundStatus(bound, free);
      if (sameJson({ ...bound.status, ...status }, bound.status)) return;
      await claims.mergeStatus(ref, status, signal);
    }
  };
}

/** Observes one volume with the claim that it is kept for, and records what it is. */
function volumeReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const claims = informers.informer(persistentVolumeClaims).lister;
  const volumes = new RecordedClient({ kube, informers }, persistentVolumes);

  return async (ref, { signal }) => {
    const volume = volumes.get(ref);
    if (!volume) return;
    const { name = '', namespace } = volume.spec.claimRef ?? {};
    const { phase, isDeleted } = planVolume(volume, claims.get({ name, namespace }));
    if (volume.status?.phase !== phase) await volumes.mergeStatus(ref, { phase }, signal);
    if (isDeleted && !volume.metadata.deletionTimestamp) await volumes.delete(volume, { signal });
  };
}

function volumeFor(claim: PersistentVolumeClaim, storageClass: StorageClass): PersistentVolume {
  const name = `pvc-${claim.metadata.uid}`;
  const { accessModes, volumeMode, resources } = claim.spec;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, annotations: { [provisionedBy]: ourProvisioner } },
    spec: {
      capacity: { storage: resources?.requests?.storage ?? '0' },
      ...(accessModes && { accessModes }),
      ...(volumeMode && { volumeMode }),
      claimRef: referenceTo(claim),
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      storageClassName: storageClass.metadata.name ?? '',
      csi: { driver: ourDriver, volumeHandle: name },
    },
  };
}
