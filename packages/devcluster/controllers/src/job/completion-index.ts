import type { Job, PodFailurePolicy } from '@slipway/kube-objects/kinds/api/jobs';
import type { Container, Pod, PodTemplate } from '@slipway/kube-objects/kinds/api/pods';
import { judgeFailure } from './pod-failure-policy.js';

const indexKey = 'batch.kubernetes.io/job-completion-index';
const failuresKey = 'batch.kubernetes.io/job-index-failure-count';
const ignoredKey = 'batch.kubernetes.io/job-index-ignored-failure-count';
const indexVariable = 'JOB_COMPLETION_INDEX';

/** How often an index has failed before a pod was made for it. */
export interface Failures {
  readonly counted: number;
  /** Failures that the pod failure policy does not count. */
  readonly ignored: number;
}

export function isIndexed({ spec }: Job): boolean {
  return spec.completionMode === 'Indexed';
}

/** The index that a pod works on; undefined when it has none that the job asks for. */
export function completionIndex({ spec }: Job, { metadata }: Pod): number | undefined {
  const index = wholeNumber(metadata.annotations?.[indexKey]);
  return index !== undefined && index < (spec.completions ?? 0) ? index : undefined;
}

/** Returns how often the index of a pod had failed before that pod. */
export function failuresBefore({ metadata }: Pod): Failures {
  const count = (key: string) => wholeNumber(metadata.annotations?.[key]) ?? 0;
  return { counted: count(failuresKey), ignored: count(ignoredKey) };
}

/** Returns how often the index of a failed pod has failed, that pod included. */
export function failuresWith(pod: Pod, policy: PodFailurePolicy | undefined): Failures {
  const { counted, ignored } = failuresBefore(pod);
  return judgeFailure(policy, pod).counts ? { counted: counted + 1, ignored } : { counted, ignored: ignored + 1 };
}

/** The template for the pod of one index. */
export function indexedTemplate(job: Job, index: number, failures: Failures | undefined): PodTemplate {
  const { metadata = {}, spec } = job.spec.template;
  const own = { [indexKey]: String(index) };
  const counts = failures && {
    [failuresKey]: String(failures.counted),
    ...(failures.ignored > 0 && { [ignoredKey]: String(failures.ignored) }),
  };
  return {
    metadata: {
      ...metadata,
      labels: { ...metadata.labels, ...own },
      annotations: { ...metadata.annotations, ...own, ...counts },
    },
    spec: {
      ...spec,
      hostname: `${job.metadata.name}-${index}`,
      containers: spec.containers.map(tellIndex),
      ...(spec.initContainers && { initContainers: spec.initContainers.map(tellIndex) }),
    },
  };
}

/** The beginning of the names of an index's pods: the server adds five characters and takes 63 at most. */
export function indexedName(job: Job, index: number): string {
  const suffix = `-${index}-`;
  return `${(job.metadata.name ?? '').slice(0, 58 - suffix.length)}${suffix}`;
}

function tellIndex(container: Container): Container {
  const { env = [] } = container;
  if (env.some(({ name }) => name === indexVariable)) return container;
  const valueFrom = { fieldRef: { apiVersion: 'v1', fieldPath: `metadata.labels['${indexKey}']` } };
  return { ...container, env: [...env, { name: indexVariable, valueFrom }] };
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
