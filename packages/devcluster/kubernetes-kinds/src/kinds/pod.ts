import { type FieldError, forbidden } from '@slipway/api-machinery/errors/field-error';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { minorOf } from '@slipway/api-machinery/schema/supported-versions';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { KubeObject } from '@slipway/kube';
import type { ContainerFields, PodSpecFields, TolerationFields } from '@slipway/kube-objects/kinds/pod-spec';
import type { AddressField } from '@slipway/kube-objects/rules/legacy-addresses';
import { qosClass } from '@slipway/kube-objects/rules/pod-qos';
import { podSpecWarnings } from '../warnings/pod-spec-warnings.js';
import { podNameWarnings } from '../warnings/workload-warnings.js';
import { validatePodContainers } from './container-validation.js';
import { podColumns } from './pod-columns.js';
import { defaultPod, defaultPodSpec } from './pod-defaults.js';
import { validateEphemeralContainers } from './pod-ephemeral-containers.js';
import { podGates } from './pod-gates.js';
import { completePodResources, defaultPodResources, sinceComplete } from './pod-level-resources.js';
import { validateMirror, validateMirrorUpdate } from './pod-mirror.js';
import { keepOnlyEphemeralContainers } from './pod-parts.js';
import { keepOnlyResize, validatePodResize } from './pod-resize.js';
import { validatePodSpec } from './pod-spec-validation.js';
import { defaultPodStatus, keepKnownStatus, validatePodStatus } from './pod-status.js';
import { addressesOfSpec, strictAddresses } from './strict-addresses.js';

export const pods = defineResource({
  group: '',
  version: 'v1',
  kind: 'Pod',
  plural: 'pods',
  shortNames: ['po'],
  categories: ['all'],
  namespaced: true,
  statusKeeps: ['ownerReferences'],
  returnsDeleted: true,
  message: 'core.v1.Pod',
  nameRules: 'create',
  warnings: (pod, old) =>
    old ? [] : [...podNameWarnings(pod, "the Pod's hostname"), ...podSpecWarnings(pod.spec, 'spec')],
  gatedFields: podGates('spec'),
  subresources: {
    status: true,
    binding: true,
    eviction: true,
    resize: true,
    ephemeralcontainers: true,
    log: true,
    attach: true,
    exec: true,
    portforward: true,
    proxy: true,
  },
  generation: ['spec'],
  columns: podColumns,
  selectableFields: {
    'spec.nodeName': (pod) => pod.spec?.nodeName ?? '',
    'spec.restartPolicy': (pod) => pod.spec?.restartPolicy ?? '',
    'spec.schedulerName': (pod) => pod.spec?.schedulerName ?? '',
    'spec.serviceAccountName': (pod) => pod.spec?.serviceAccountName ?? '',
    'spec.hostNetwork': (pod) => String(pod.spec?.hostNetwork ?? false),
    'status.phase': (pod) => pod.status?.phase ?? '',
    'status.podIP': (pod) => pod.status?.podIP ?? '',
    'status.nominatedNodeName': (pod) => pod.status?.nominatedNodeName ?? '',
  },
  defaults(pod) {
    pod.spec ??= {};
    defaultPodSpec(pod.spec);
    defaultPod(pod.spec);
    if (pod.status) defaultPodStatus(pod.status);
  },
  serverDefaults({ spec }, { version }) {
    if (minorOf(version) < sinceComplete) defaultPodResources(spec);
  },
  prepareForCreate({ spec, metadata }, { version }) {
    dropInitContainerAnnotations(metadata);
    if (minorOf(version) >= sinceComplete) completePodResources(spec);
  },
  initialStatus: ({ spec }, { nowMs }) => ({
    phase: 'Pending',
    ...((spec.schedulingGates ?? []).length > 0 && { conditions: [gatedCondition(nowMs)] }),
    qosClass: qosClass(spec),
  }),
  prepareForUpdate(pod, old, { subresource, version }) {
    dropInitContainerAnnotations(pod.metadata);
    // Whoever does not know the field leaves it out.
    const isLeftOut = pod.spec.resources === undefined && old.spec.resources !== undefined;
    if (isLeftOut && subresource === '' && minorOf(version) >= sinceComplete) pod.spec.resources = old.spec.resources;
    if (subresource === 'status') keepKnownStatus(pod, old);
    if (subresource === 'resize') keepOnlyResize(pod, old, version);
    if (subresource === 'ephemeralcontainers') keepOnlyEphemeralContainers(pod, old);
  },
  validate: (pod) => [
    ...validatePodSpec(pod.spec, 'spec'),
    ...validatePodContainers(pod.spec, 'spec'),
    ...validatePlace(pod.spec),
    ...validateMirror(pod),
  ],
  gatedRules: strictAddresses(addressesOfPod),
  validateCreate: ({ spec }) =>
    (spec.ephemeralContainers ?? []).length > 0
      ? [forbidden('spec.ephemeralContainers', 'cannot be set on create')]
      : [],
  validateUpdate(pod, old, subresource, version) {
    if (subresource === 'ephemeralcontainers') return validateEphemeralContainers(pod, old);
    if (subresource === 'status') return [...validateMirrorUpdate(pod, old), ...validatePodStatus(pod, old, version)];
    if (subresource === 'resize') return validatePodResize(pod, old, version);
    return [...validateMirrorUpdate(pod, old), ...validateSpecUpdate(pod.spec, old.spec)];
  },
  gracePeriodSeconds(pod, requested) {
    const isOver = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
    if (!pod.spec?.nodeName || isOver) return 0;
    const seconds = requested ?? pod.spec.terminationGracePeriodSeconds ?? 0;
    return seconds < 0 ? 1 : seconds;
  },
});

/** Where Kubernetes kept init containers before they were a field. */
const formerAnnotations = ['alpha', 'beta'].flatMap((stage) =>
  ['init-containers', 'init-container-statuses'].map((name) => `pod.${stage}.kubernetes.io/${name}`),
);

function dropInitContainerAnnotations(metadata: KubeObject['metadata']): void {
  const { annotations } = metadata;
  if (!annotations || !formerAnnotations.some((name) => name in annotations)) return;
  const kept = Object.entries(annotations).filter(([name]) => !formerAnnotations.includes(name));
  if (kept.length > 0) metadata.annotations = Object.fromEntries(kept);
  else delete metadata.annotations;
}

function gatedCondition(nowMs: number) {
  return {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: new Date(nowMs).toISOString().replace(/\.\d+Z$/, 'Z'),
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  };
}

/** A pod with scheduling gates must not be bound to a node. */
function validatePlace({ nodeName, schedulingGates }: PodSpecFields): FieldError[] {
  if (!nodeName || !schedulingGates?.length) return [];
  return [forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')];
}

const mutable =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
  '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** A running pod is what it is, but for images, deadline, more tolerations, and gates that fall. */
function validateSpecUpdate(spec: PodSpecFields, old: PodSpecFields): FieldError[] {
  for (const list of ['containers', 'initContainers'] as const) {
    if ((spec[list] ?? []).length !== (old[list] ?? []).length) {
      return [forbidden(`spec.${list}`, 'pod updates may not add or remove containers')];
    }
  }
  const errors: FieldError[] = [];
  if (!keepsAll(old.tolerations ?? [], spec.tolerations ?? [])) {
    errors.push(forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds'));
  }
  const gates = new Set((old.schedulingGates ?? []).map(({ name }) => name));
  const added = (spec.schedulingGates ?? []).filter(({ name }) => !gates.has(name)).map(({ name }) => name);
  if (added.length > 0) {
    const detail = `only deletion is allowed, but found new scheduling gates '${added.join(', ')}'`;
    errors.push(forbidden('spec.schedulingGates', detail));
  }
  const isGated = gates.size > 0;
  if (!equalJson(fixedPart(spec, old, isGated), fixedPart(old, old, isGated))) errors.push(forbidden('spec', mutable));
  return errors;
}

/** A spec with everything that may change taken from `old`. */
function fixedPart(spec: PodSpecFields, old: PodSpecFields, isGated: boolean): PodSpecFields {
  const images = (containers: ContainerFields[] | null | undefined, before: ContainerFields[] | null | undefined) =>
    (containers ?? []).map((container, index) => ({ ...container, image: before?.[index]?.image ?? '' }));
  const fixed: PodSpecFields = {
    ...spec,
    containers: images(spec.containers, old.containers),
    initContainers: images(spec.initContainers, old.initContainers),
    tolerations: old.tolerations ?? [],
    schedulingGates: old.schedulingGates ?? [],
  };
  delete fixed.activeDeadlineSeconds;
  // Until it is scheduled a gated pod may be narrowed down to fewer nodes.
  if (isGated) for (const field of ['nodeSelector', 'affinity'] as const) delete fixed[field];
  const mayBecomeOne = (old.terminationGracePeriodSeconds ?? 0) < 0 && spec.terminationGracePeriodSeconds === 1;
  if (mayBecomeOne) fixed.terminationGracePeriodSeconds = old.terminationGracePeriodSeconds as number;
  return fixed;
}

function keepsAll(old: readonly TolerationFields[], tolerations: readonly TolerationFields[]): boolean {
  const identity = ({ key = '', operator = '', value = '', effect = '' }: TolerationFields) =>
    JSON.stringify([key, operator, value, effect]);
  const found = new Set(tolerations.map(identity));
  return old.every((toleration) => found.has(identity(toleration)));
}

function addressesOfPod({ spec, status }: KubeObject): AddressField[] {
  const ips = (list: 'podIPs' | 'hostIPs') =>
    ((status?.[list] ?? []) as { ip?: string }[]).map(
      ({ ip = '' }, index): AddressField => ({ field: `status.${list}[${index}]`, value: ip, holds: 'address' }),
    );
  return [...addressesOfSpec(spec, 'spec'), ...ips('podIPs'), ...ips('hostIPs')];
}
