import type { Kube, KubeObject, ResourceRef } from '@slipway/kube';
import { namespaces } from '@slipway/kube-objects/kinds/api/core';
import { cronJobs } from '@slipway/kube-objects/kinds/api/cron-jobs';
import { daemonSets } from '@slipway/kube-objects/kinds/api/daemon-sets';
import { podDisruptionBudgets } from '@slipway/kube-objects/kinds/api/disruption-budgets';
import type { PodSpec } from '@slipway/kube-objects/kinds/api/pods';
import { resourceQuotas } from '@slipway/kube-objects/kinds/api/resource-quotas';
import { services } from '@slipway/kube-objects/kinds/api/services';
import { storageClasses } from '@slipway/kube-objects/kinds/api/volumes';
import { deployments, statefulSets } from '@slipway/kube-objects/kinds/api/workloads';
import { priorityClasses } from '@slipway/kube-objects/kinds/priority-class-system';

/** The taint that nodes get and lose in a story; `db` bears it for a while, and what has bounds without a limit. */
export const storyTaint = { key: 'story', effect: 'NoExecute' } as const;

/**
 * The pod template of one workload. What is told nothing runs until it is stopped. What is to fail does not heed that it
 * is asked to stop, and is killed: else it would end well, and a Job counts pods that end well while they are deleted.
 */
export function template(app: string, cpu: string, spec: Partial<PodSpec> = {}, exit?: string) {
  const told = exit && {
    'sim.slipway.dev/main': exit,
    ...(!exit.startsWith('exit=0') && { 'sim.slipway.dev/main.stop': '60s' }),
  };
  return {
    metadata: { labels: { app }, ...(told && { annotations: told }) },
    spec: {
      containers: [{ name: 'main', image: 'image', resources: { requests: { cpu } } }],
      terminationGracePeriodSeconds: 1,
      ...spec,
    },
  };
}

/** Pods that stay: on nodes whose network holds, whatever the taint, and too important to be displaced. */
const sheltered: Partial<PodSpec> = {
  priorityClassName: 'important',
  tolerations: [{ key: storyTaint.key, operator: 'Exists' }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['n3'] }] }],
      },
    },
  },
};

const daemon: Partial<PodSpec> = {
  priorityClassName: 'important',
  tolerations: [{ key: storyTaint.key, operator: 'Exists' }],
};

/** Every kind of workload once, in a cluster of three nodes with four cpus each. */
export async function createWorkloads(kube: Kube): Promise<void> {
  const make = <T extends KubeObject>(ref: ResourceRef<T>, name: string, object: object, namespace = 'default') =>
    kube.resource(ref).create({
      apiVersion: ref.group ? `${ref.group}/${ref.version}` : ref.version,
      kind: ref.kind,
      metadata: { name, ...(ref.namespaced && { namespace }) },
      ...object,
    } as unknown as T);
  const workload = (app: string, pod: object, spec: object) => ({
    spec: { selector: { matchLabels: { app } }, template: pod, ...spec },
  });
  await make(priorityClasses, 'important', { value: 1_000_000 });
  await make(priorityClasses, 'pushy', { value: 1_000 });
  await make(storageClasses, 'fast', {
    provisioner: 'sim.slipway.dev/volumes',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  await make(namespaces, 'small', {});
  await make(resourceQuotas, 'few', { spec: { hard: { pods: '3' } } }, 'small');

  const oneByOne = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } };
  await make(
    deployments,
    'web',
    workload('web', template('web', '300m', sheltered), { replicas: 3, strategy: oneByOne, revisionHistoryLimit: 2 }),
  );
  await make(services, 'web', { spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } });
  await make(deployments, 'shop', workload('shop', template('shop', '200m', sheltered), { replicas: 4 }));
  await make(podDisruptionBudgets, 'shop', {
    spec: { minAvailable: '50%', selector: { matchLabels: { app: 'shop' } } },
  });
  await make(
    deployments,
    'anew',
    workload('anew', template('anew', '100m'), { replicas: 2, strategy: { type: 'Recreate' } }),
  );
  await make(deployments, 'many', workload('many', template('many', '50m'), { replicas: 5 }), 'small');

  const volumeClaimTemplates = [
    {
      metadata: { name: 'data' },
      spec: { storageClassName: 'fast', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  ];
  const bearing = { tolerations: [{ ...storyTaint, operator: 'Exists', tolerationSeconds: 5 }] };
  await make(
    statefulSets,
    'db',
    workload('db', template('db', '300m', bearing as Partial<PodSpec>), {
      replicas: 2,
      serviceName: 'db',
      volumeClaimTemplates,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Delete' },
      revisionHistoryLimit: 2,
    }),
  );
  await make(podDisruptionBudgets, 'db', { spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'db' } } } });
  await make(
    statefulSets,
    'ring',
    workload('ring', template('ring', '100m', sheltered), {
      replicas: 4,
      serviceName: 'ring',
      podManagementPolicy: 'Parallel',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2, partition: 0 } },
    }),
  );

  const update = (rollingUpdate: object) => ({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
  await make(daemonSets, 'agent', workload('agent', template('agent', '100m', daemon), update({ maxUnavailable: 1 })));
  await make(
    daemonSets,
    'probe',
    workload('probe', template('probe', '50m', daemon), update({ maxSurge: 1, maxUnavailable: 0 })),
  );

  const jobTemplate = { spec: { template: template('tick', '50m', { restartPolicy: 'Never' }, 'exit=0,after=70s') } };
  const cron = { schedule: '* * * * *', jobTemplate, successfulJobsHistoryLimit: 1 };
  await make(cronJobs, 'patient', { spec: { ...cron, concurrencyPolicy: 'Forbid' } });
  await make(cronJobs, 'hasty', { spec: { ...cron, concurrencyPolicy: 'Replace' } });
}

/** Jobs by what becomes of them: each has its own way to its end. */
export const jobKinds = {
  plain: { spec: { completions: 3, parallelism: 2 }, exit: 'exit=0,after=3s', ends: ['Complete'] },
  brief: { spec: { completions: 2, ttlSecondsAfterFinished: 5 }, exit: 'exit=0,after=1s', ends: ['Complete'] },
  indexed: {
    spec: { completions: 4, parallelism: 3, completionMode: 'Indexed', podReplacementPolicy: 'Failed' },
    exit: 'exit=0,after=4s',
    ends: ['Complete'],
  },
  early: {
    spec: {
      completions: 4,
      parallelism: 4,
      completionMode: 'Indexed',
      successPolicy: { rules: [{ succeededCount: 2 }] },
    },
    exit: 'exit=0,after=2s',
    ends: ['Complete'],
  },
  failing: { spec: { backoffLimit: 1 }, exit: 'exit=1,after=1s', ends: ['Failed'] },
  failingIndexes: {
    spec: { completions: 3, parallelism: 3, completionMode: 'Indexed', backoffLimitPerIndex: 1, maxFailedIndexes: 1 },
    exit: 'exit=1,after=1s',
    ends: ['Failed'],
  },
  fatal: {
    spec: {
      completions: 2,
      parallelism: 2,
      podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }] },
    },
    exit: 'exit=42,after=2s',
    ends: ['Failed'],
  },
  forgiving: {
    spec: {
      completions: 2,
      backoffLimit: 0,
      podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] },
    },
    exit: 'exit=0,after=5s',
    ends: ['Complete', 'Failed'],
  },
} as const;

export type JobKind = keyof typeof jobKinds;

/** The job of this kind; jobs die of nothing but what they are told, and of pods that are taken from them. */
export function jobOf(kind: JobKind, name: string): object {
  const { spec, exit } = jobKinds[kind];
  const backoffLimit = { backoffLimit: 50 };
  const pod = template('job', '50m', { restartPolicy: 'Never', priorityClassName: 'important' }, exit);
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { namespace: 'default', name, labels: { kind } },
    spec: { ...('backoffLimitPerIndex' in spec ? {} : backoffLimit), ...spec, template: pod },
  };
}
