import { type FieldError, forbidden, invalid } from '@slipway/api-machinery/errors/field-error';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { minorOf } from '@slipway/api-machinery/schema/supported-versions';
import { compareQuantity, type KubeObject, parseQuantity } from '@slipway/kube';
import type { ContainerFields, PodSpecFields, ResourceFields } from '@slipway/kube-objects/kinds/pod-spec';
import { qosClass } from '@slipway/kube-objects/rules/pod-qos';
import { mirrorAnnotation } from '@slipway/kube-objects/rules/well-known';
import { asksForSome, completePodResources, sinceComplete } from './pod-level-resources.js';
import { keepAllBut } from './pod-parts.js';
import { validatePodSpec } from './pod-spec-validation.js';

const resizable = ['cpu', 'memory'] as const;
const lists = ['containers', 'initContainers'] as const;

/** Since then pods can be resized as a whole, and so can init containers before they run (KEP-5419, KEP-5294). */
const sinceWhole = 36;
/** Since then claims for devices do not keep a container from being resized. */
const sinceClaims = 37;

/**
 * Takes everything but the resources and resize policies of containers, and since 1.36 the resources of the pod, back to
 * what it was, in place. Containers that were added, removed, renamed or reordered are left for validation to refuse.
 */
export function keepOnlyResize(pod: KubeObject, old: KubeObject, version: string): void {
  const given: PodSpecFields = pod.spec ?? {};
  const { spec } = structuredClone(old);
  if (lists.some((list) => (given[list] ?? []).length !== (spec[list] ?? []).length)) return;
  for (const list of lists) if (spec[list]) spec[list] = resizedContainers(spec[list], given[list] ?? []);
  if (minorOf(version) >= sinceWhole) {
    if (given.resources) spec.resources = given.resources;
    // Whoever does not know the field leaves it out.
    else if (minorOf(version) < sinceComplete) delete spec.resources;
    if (minorOf(version) >= sinceComplete) completePodResources(spec);
  }
  keepAllBut(pod, old, spec);
}

function resizedContainers(old: readonly ContainerFields[], given: readonly ContainerFields[]) {
  if (old.some(({ name }, index) => given[index]?.name !== name)) return given;
  return old.map(({ resources: _resources, resizePolicy: _policy, ...rest }, index) => ({
    ...rest,
    ...(given[index]?.resources && { resources: given[index].resources }),
    ...(given[index]?.resizePolicy && { resizePolicy: given[index].resizePolicy }),
  }));
}

/**
 * Validates an in-place resize of a pod. The permitted resources depend on the present ones, on the quality of
 * service, and on whether its kubelet can resize at all. `version` is the one of the server: before 1.34 memory limits
 * may not shrink.
 */
export function validatePodResize(pod: KubeObject, old: KubeObject, version: string): FieldError[] {
  const invalidSpec = validatePodSpec(pod.spec, 'spec');
  const refused = refusedAltogether(pod, old, version);
  if (refused) return [refused];
  const errors = [...invalidSpec];
  const quality = old.status?.qosClass ?? qosClass(old.spec);
  if (quality !== qosClass(pod.spec)) {
    errors.push(invalid('spec', quality, 'Pod QOS Class may not change as a result of resizing'));
  }
  if (!canBeResizedByItsNode(old)) errors.push(forbidden('spec', 'Pod running on node without support for resize'));
  errors.push(...validateWhole(pod.spec.resources, old.spec.resources));
  const moved = lists.flatMap((list) => validateOrder(pod.spec, old.spec, list));
  if (moved.length > 0) return [...errors, ...moved];
  return [...errors, ...validateResources(pod.spec, old.spec, version), ...validateRest(pod.spec, old.spec, version)];
}

/** Pods that cannot be resized, whatever the change. */
function refusedAltogether(pod: KubeObject, old: KubeObject, version: string): FieldError | undefined {
  const asksAsAWhole = [old, pod].some(({ spec }) => asksForSome(spec.resources));
  if (minorOf(version) < sinceWhole && asksAsAWhole) {
    const gate = 'InPlacePodLevelResourcesVerticalScalingEnabled feature gate is disabled';
    const since1_35 = `resize of pods with pod-level resources is forbidden when ${gate}`;
    return forbidden('', minorOf(version) < 35 ? 'pods with pod-level resources cannot be resized' : since1_35);
  }
  const { annotations } = old.metadata;
  if (annotations && Object.hasOwn(annotations, mirrorAnnotation)) {
    return forbidden('', 'static pods cannot be resized');
  }
  return old.spec.os?.name === 'windows' ? forbidden('', 'windows pods cannot be resized') : undefined;
}

/** Of what a pod asks for as a whole, cpu and memory may change. */
function validateWhole(resources: ResourceFields | undefined, before: ResourceFields | undefined): FieldError[] {
  if (!asksForSome(resources) && !asksForSome(before)) return [];
  if (before && !resources) return [forbidden('spec.resources', 'pod-level resources cannot be removed')];
  const errors = before ? validateKept(resources, before, 'spec.resources', 'pod-level resource') : [];
  const same = withFormer(resources, before);
  const isAllowed = equalJson(same, before ?? {});
  return isAllowed ? errors : [...errors, forbidden('spec', 'only cpu and memory resources are mutable at pod-level')];
}

/** A kubelet that can resize reports what containers run with; while none runs, one has to assume that it can. */
function canBeResizedByItsNode({ status }: KubeObject): boolean {
  const statuses: readonly { state?: { running?: object }; resources?: object }[] = status?.containerStatuses ?? [];
  const running = statuses.find(({ state }) => state?.running);
  return running === undefined || running.resources !== undefined;
}

function validateOrder(spec: PodSpecFields, old: PodSpecFields, list: (typeof lists)[number]): FieldError[] {
  const [given, before] = [spec[list] ?? [], old[list] ?? []];
  if (given.length !== before.length) {
    return [forbidden(`spec.${list}`, `${list} may not be added or removed on resize`)];
  }
  return before.flatMap(({ name }, index) => {
    if (given[index]?.name === name) return [];
    return [forbidden(`spec.${list}[${index}].name`, `${list} may not be renamed or reordered on resize`)];
  });
}

function validateResources(spec: PodSpecFields, old: PodSpecFields, version: string): FieldError[] {
  return (['initContainers', 'containers'] as const).flatMap((list) =>
    (old[list] ?? []).flatMap((before, index) => {
      const container = spec[list]?.[index] ?? {};
      const isFixed = list === 'initContainers' && before.restartPolicy !== 'Always';
      if (isFixed && minorOf(version) < sinceWhole) return [];
      const field = `spec.${list}[${index}].resources`;
      return [
        ...validateKept(container.resources, before.resources, field),
        ...(minorOf(version) < 34 ? validateMemoryLimit(container, before.resources, field) : []),
      ];
    }),
  );
}

function validateKept(
  resources: ResourceFields = {},
  before: ResourceFields = {},
  field: string,
  what = 'resource',
): FieldError[] {
  return (['requests', 'limits'] as const).flatMap((which) => {
    const kept = Object.keys(before[which] ?? {}).every((name) => Object.hasOwn(resources[which] ?? {}, name));
    return kept ? [] : [forbidden(`${field}.${which}`, `${what} ${which} cannot be removed`)];
  });
}

/** Kubernetes 1.33 asked for a restart where memory is taken away. */
function validateMemoryLimit(container: ContainerFields, before: ResourceFields = {}, field: string): FieldError[] {
  const policy = container.resizePolicy?.find(({ resourceName }) => resourceName === 'memory')?.restartPolicy;
  const [limit, old] = [container.resources?.limits?.memory, before.limits?.memory];
  if (policy === 'RestartContainer' || limit === undefined) return [];
  const refuse = (what: string) =>
    forbidden(`${field}.limits[memory]`, `memory limits cannot be ${what} unless resizePolicy is RestartContainer`);
  if (old === undefined) return [refuse('added')];
  return compareQuantity(parseQuantity(limit), parseQuantity(old)) < 0 ? [refuse('decreased')] : [];
}

function validateRest(spec: PodSpecFields, old: PodSpecFields, version: string): FieldError[] {
  const keepsClaims = minorOf(version) >= sinceClaims;
  const errors: FieldError[] = [];
  (spec.containers ?? []).forEach((container, index) => {
    if (isResizeOf(container, old.containers?.[index], keepsClaims)) return;
    errors.push(forbidden('spec', 'only cpu and memory resources are mutable'));
  });
  (spec.initContainers ?? []).forEach((container, index) => {
    const before = old.initContainers?.[index];
    const isSidecar = container.restartPolicy === 'Always';
    const isResize = isResizeOf(container, before, keepsClaims);
    if (minorOf(version) >= sinceWhole) {
      const at = `spec.initContainers[${index}]`;
      const refuse = (why: string) => errors.push(forbidden(at, why));
      if (!isResize) refuse('only cpu and memory resources for init or sidecar containers are mutable');
      if (isSidecar || equalJson(container, before)) return;
      for (const { restartPolicy } of container.resizePolicy ?? [])
        if (restartPolicy === 'RestartContainer')
          refuse('non-sidecar init containers with a resize policy of RestartContainer cannot be resized');
    } else if (!isSidecar && !equalJson(container, before)) {
      errors.push(forbidden('spec', 'resources for non-sidecar init containers are immutable'));
    } else if (!isResize) {
      errors.push(forbidden('spec', 'only cpu and memory resources for sidecar containers are mutable'));
    }
  });
  return errors;
}

/** Whether a container differs from what it was in cpu and memory at most. */
function isResizeOf(container: ContainerFields, before: ContainerFields = {}, keepsClaims: boolean): boolean {
  const { claims, ...resources } = withFormer(container.resources, before.resources);
  const same = { ...container, resources: { ...resources, ...(keepsClaims && claims && { claims }) } };
  return equalJson(same, { ...before, resources: before.resources ?? {} });
}

/** Resources with cpu and memory as they were. */
function withFormer({ requests, limits, ...others }: ResourceFields = {}, before: ResourceFields = {}): ResourceFields {
  return {
    ...others,
    ...restored('requests', requests, before.requests),
    ...restored('limits', limits, before.limits),
  };
}

function restored(
  which: 'requests' | 'limits',
  amounts: Readonly<Record<string, string>> = {},
  before: Readonly<Record<string, string>> | undefined,
): ResourceFields {
  const fixed = Object.entries(amounts).filter(([name]) => !resizable.some((one) => one === name));
  if (before === undefined && fixed.length === 0) return {};
  const old = resizable.flatMap((name) => (before?.[name] === undefined ? [] : [[name, before[name]] as const]));
  return { [which]: Object.fromEntries([...fixed, ...old]) };
}
