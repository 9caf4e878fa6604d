import { unchanged } from '@slipway/api-machinery/errors/field-checks';
import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { minorOf } from '@slipway/api-machinery/schema/supported-versions';
import { isConditionTrue, type KubeObject } from '@slipway/kube';
import type { PodTemplateFields } from '@slipway/kube-objects/kinds/pod-spec';
import type { JobSpecFields } from './job-spec.js';

type PodFields = NonNullable<PodTemplateFields['spec']>;

/** What says where pods may run; a queue decides it before it lets a suspended job run. */
const directives = ['nodeSelector', 'tolerations', 'schedulingGates'] as const;

/**
 * Validates a change of the pod template of a Job: none, but for a suspended job those of where its pods may run, and from
 * Kubernetes 1.36 on those of their resources.
 * @param version that the server claims to be, such as `1.37`
 */
export function validateTemplateUpdate(spec: JobSpecFields, old: KubeObject, version: string): FieldError[] {
  const before: JobSpecFields = old.spec;
  const hasResources = minorOf(version) >= 36;
  const isRunnable = hasResources ? !isQuiet(old) : !(before.suspend && !old.status?.startTime);
  if (isRunnable) return unchanged('spec.template', spec.template, before.template, equalJson);
  const allowed = withDirectives(before.template ?? {}, spec.template ?? {});
  if (!hasResources) return unchanged('spec.template', spec.template, allowed, equalJson);
  const pod = withResources(allowed.spec ?? {}, spec.template?.spec ?? {});
  return unchanged('spec.template.spec', spec.template?.spec, pod, equalJson);
}

/** Whether a job is suspended and has no pods: it never started, or says that it was suspended. */
function isQuiet({ spec, status }: KubeObject): boolean {
  const hasStopped = !status?.startTime || isConditionTrue(status.conditions, 'Suspended');
  return spec.suspend === true && hasStopped && !status?.active;
}

/** A template with the directives, labels and annotations of another. */
function withDirectives(template: PodTemplateFields, next: PodTemplateFields): PodTemplateFields {
  const { labels, annotations } = next.metadata ?? {};
  const pod: Record<string, unknown> = { ...template.spec };
  const wanted: Readonly<Record<string, unknown>> = { ...next.spec };
  for (const field of directives) setOrDelete(pod, field, wanted[field]);
  const nodeAffinity = Object(wanted.affinity).nodeAffinity;
  const affinity: Record<string, unknown> = { ...Object(pod.affinity) };
  setOrDelete(affinity, 'nodeAffinity', nodeAffinity);
  const isGone = wanted.affinity === undefined && Object.keys(affinity).length === 0;
  if (pod.affinity !== undefined || wanted.affinity !== undefined) {
    setOrDelete(pod, 'affinity', isGone ? undefined : affinity);
  }
  const metadata: Record<string, unknown> = { ...template.metadata };
  setOrDelete(metadata, 'labels', labels);
  setOrDelete(metadata, 'annotations', annotations);
  return { ...template, metadata, spec: pod } as PodTemplateFields;
}

/** A pod whose containers have the resources of those of the same name and place in another. */
function withResources(pod: PodFields, next: PodFields): PodFields {
  const changed: Record<string, unknown> = { ...pod };
  for (const list of ['containers', 'initContainers'] as const) {
    const [before, after] = [pod[list] ?? [], next[list] ?? []];
    if (before.length !== after.length || before.length === 0) continue;
    changed[list] = before.map((container, index) => {
      const other = after[index];
      if (other?.name !== container.name) return container;
      const copy: Record<string, unknown> = { ...container };
      setOrDelete(copy, 'resources', other?.resources);
      return copy;
    });
  }
  return changed as PodFields;
}

function setOrDelete(object: Record<string, unknown>, field: string, value: unknown): void {
  if (value === undefined) delete object[field];
  else object[field] = value;
}
