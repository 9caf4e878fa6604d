import {
  Controller,
  errorMessage,
  type KubeObject,
  ownerReference,
  type Reconciler,
  retryLostRaces,
} from '@slipway/kube';
import { isTerminating, type Pod, pods } from '@slipway/kube-objects/kinds/api/pods';
import { type PersistentVolumeClaim, persistentVolumeClaims } from '@slipway/kube-objects/kinds/api/volumes';
import { notMadeFor, ownClaimName } from '@slipway/kube-objects/rules/pod-claims';
import type { WorkloadDeps } from '../workloads/workload-deps.js';

/** Makes the claims of generic ephemeral volumes, which belong to their pods and go with them. */
export function ephemeralVolumeController(deps: WorkloadDeps): Controller {
  return new Controller({
    ...deps,
    name: 'ephemeral-volume-controller',
    component: 'ephemeral_volume',
    for: pods,
    owns: [persistentVolumeClaims],
    reconcile: retryLostRaces(ephemeralVolumeReconciler(deps)),
  });
}

/** Makes the claims that one pod lacks. */
function ephemeralVolumeReconciler({ kube, informers }: Omit<WorkloadDeps, 'log'>): Reconciler {
  const podLister = informers.informer(pods).lister;
  const claimLister = informers.informer(persistentVolumeClaims).lister;
  const client = kube.resource(persistentVolumeClaims);

  return async (ref, { signal, events }) => {
    const pod = podLister.get(ref);
    if (!pod || isTerminating(pod)) return;
    const volumes: readonly OwnVolume[] = pod.spec.volumes ?? [];
    for (const volume of volumes) {
      const template = volume.ephemeral?.volumeClaimTemplate;
      if (!template) continue;
      const name = ownClaimName(pod, volume.name);
      const there = claimLister.get({ ...ref, name });
      try {
        const problem = there && notMadeFor(pod, there);
        if (problem) throw new Error(problem);
        if (!there) await client.create(claimOf(pod, name, template), { signal });
      } catch (error) {
        const message = `ephemeral volume ${volume.name}: ${errorMessage(error)}`;
        events.event(pod, 'Warning', 'FailedBinding', message);
        throw error;
      }
    }
  };
}

interface OwnVolume {
  readonly name: string;
  readonly ephemeral?: { readonly volumeClaimTemplate?: ClaimTemplate };
}

interface ClaimTemplate extends Pick<PersistentVolumeClaim, 'spec'> {
  readonly metadata?: Pick<KubeObject['metadata'], 'labels' | 'annotations'>;
}

function claimOf(pod: Pod, name: string, { metadata, spec }: ClaimTemplate): PersistentVolumeClaim {
  const { labels, annotations } = metadata ?? {};
  const { namespace = '' } = pod.metadata;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name,
      namespace,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ownerReferences: [ownerReference({ ...pod, apiVersion: 'v1', kind: 'Pod' }, { controller: true })],
    },
    spec,
  };
}
