import { forbidden } from '@slipway/api-machinery/errors/status-errors';
import type { AdmissionHook, AdmissionReader, Attributes } from '@slipway/api-server/attributes/admission';
import { subjectName } from '@slipway/api-server/attributes/subject-name';
import { type KubeObject, resourceAmounts } from '@slipway/kube';
import type { LimitItem } from '@slipway/kube-objects/kinds/limit-item';
import type { ResourceList } from '@slipway/kube-objects/kinds/resource-list';
import { type ContainerFields, containerLimits, containerRequests } from '@slipway/kube-objects/rules/pod-amounts';
import { claimProblems, limitProblems } from './limits.js';

const annotation = 'kubernetes.io/limit-ranger';

/** Gives the containers of a pod the requests and limits that the LimitRanges of its namespace say they have by default. */
export const applyLimitDefaults: AdmissionHook = (request, reader) => {
  if (!isLimited(request) || request.resource.plural !== 'pods') return;
  for (const items of limitsOf(reader, request.namespace)) {
    for (const item of items) if (item.type === 'Container') fillIn(request.object, item);
  }
};

function fillIn(pod: KubeObject, item: LimitItem): void {
  const set: string[] = [];
  for (const [word, containers] of [
    ['container', pod.spec.containers ?? []],
    ['init container', pod.spec.initContainers ?? []],
  ] as const) {
    for (const container of containers as readonly ContainerFields[]) {
      for (const [part, defaults = {}] of [
        ['request', item.defaultRequest],
        ['limit', item.default],
      ] as const) {
        const names = addMissing(container, `${part}s`, defaults);
        if (names.length > 0) set.push(`${names.sort().join(', ')} ${part} for ${word} ${container.name}`);
      }
    }
  }
  if (set.length === 0) return;
  pod.metadata.annotations = {
    ...pod.metadata.annotations,
    [annotation]: `LimitRanger plugin set: ${set.join('; ')}`,
  };
}

/** @returns the resources that were added */
function addMissing(container: ContainerFields, part: 'requests' | 'limits', defaults: ResourceList): string[] {
  const given = container.resources?.[part] ?? {};
  const missing = Object.keys(defaults).filter((name) => given[name] === undefined);
  if (missing.length === 0) return missing;
  const added = Object.fromEntries(missing.map((name) => [name, defaults[name] ?? '']));
  container.resources = { ...container.resources, [part]: { ...given, ...added } };
  return missing;
}

/**
 * Refuses what the LimitRanges of a namespace do not allow.
 * @throws StatusError Forbidden
 */
export function requireLimits(request: Attributes, reader: Pick<AdmissionReader, 'list'>): void {
  const { object, resource } = request;
  if (!object || !isLimited(request)) return;
  for (const items of limitsOf(reader, request.namespace)) {
    const problems = items.flatMap((item) => problemsOf(item, resource.plural, object));
    if (problems.length === 0) continue;
    const [first = ''] = problems;
    const why = problems.length === 1 ? first : `[${[...new Set(problems)].join(', ')}]`;
    throw forbidden(resource, subjectName(request), why);
  }
}

function problemsOf(item: LimitItem, plural: string, object: KubeObject): string[] {
  if (plural === 'persistentvolumeclaims') {
    if (item.type !== 'PersistentVolumeClaim') return [];
    return claimProblems(item, resourceAmounts(object.spec.resources?.requests));
  }
  if (item.type === 'Pod') {
    return limitProblems(item, { requests: containerRequests(object), limits: containerLimits(object) });
  }
  if (item.type !== 'Container') return [];
  const containers: readonly ContainerFields[] = [
    ...(object.spec.containers ?? []),
    ...(object.spec.initContainers ?? []),
  ];
  return containers.flatMap(({ resources = {} }) =>
    limitProblems(item, { requests: resourceAmounts(resources.requests), limits: resourceAmounts(resources.limits) }),
  );
}

/** The resources of a pod only change when it is made or resized; what is being deleted is left alone. */
function isLimited({ operation, resource, subresource, old }: Attributes): boolean {
  if (resource.group !== '' || operation === 'DELETE' || old?.metadata.deletionTimestamp) return false;
  if (resource.plural === 'pods') return subresource === 'resize' || (subresource === '' && operation === 'CREATE');
  return resource.plural === 'persistentvolumeclaims' && subresource === '';
}

function limitsOf(reader: Pick<AdmissionReader, 'list'>, namespace: string): readonly (readonly LimitItem[])[] {
  return reader.list('limitranges', { namespace }).entries.map(({ object }) => object.spec?.limits ?? []);
}
