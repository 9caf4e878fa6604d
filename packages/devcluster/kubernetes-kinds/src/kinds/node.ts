import { invalidBecause, requiredOneOf } from '@slipway/api-machinery/errors/field-checks';
import { duplicate, type FieldError, forbidden, invalid, tooMany } from '@slipway/api-machinery/errors/field-error';
import { labelValueProblems, qualifiedNameProblems } from '@slipway/api-machinery/errors/names';
import { repeatsIn } from '@slipway/api-machinery/errors/repeats';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { ageColumn, textColumn, wideColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import type { KubeObject } from '@slipway/kube';
import { resizePreemptionGate } from '@slipway/kube-objects/rules/gate-names';
import {
  addressWarnings,
  legacyAddressErrors,
  parseLegacyCidr,
  rangeList,
} from '@slipway/kube-objects/rules/legacy-addresses';
import { strictAddresses } from './strict-addresses.js';

interface TaintFields {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

export const nodes = defineResource({
  group: '',
  version: 'v1',
  kind: 'Node',
  plural: 'nodes',
  shortNames: ['no'],
  namespaced: false,
  message: 'core.v1.Node',
  subresources: { status: true, proxy: true },
  // A kubelet registers with its capacity, so unlike others a node keeps the status it is created with.
  initialStatus: ({ status }) => status ?? {},
  defaults({ spec, status }) {
    defaultPodCidrs(spec);
    if (status?.capacity && !status.allocatable) status.allocatable = { ...status.capacity };
  },
  // Kubelets are no longer configured from the API; objects from before may keep the field.
  prepareForCreate({ spec }) {
    delete spec?.configSource;
  },
  prepareForUpdate({ spec }, old) {
    if (!old.spec?.configSource) delete spec?.configSource;
  },
  gatedFields: { [resizePreemptionGate]: ['spec.podPreemptionPolicy'] },
  validate: ({ spec }) => [
    ...validateTaints(spec?.taints ?? []),
    ...validatePodCidrs(spec?.podCIDRs ?? []),
    ...validateOwners(spec?.podPreemptionPolicy?.disableResizePreemption ?? []),
  ],
  validateUpdate: ({ spec }, old) => [
    ...keepsPodCidrs(spec?.podCIDRs ?? [], old.spec?.podCIDRs ?? []),
    ...keepsProvider(spec?.providerID ?? '', old.spec?.providerID ?? ''),
  ],
  gatedRules: strictAddresses(({ spec }) => rangeList('spec.podCIDRs', spec?.podCIDRs)),
  warnings: ({ spec }) => [
    ...(spec?.externalID ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes'] : []),
    ...addressWarnings(rangeList('spec.podCIDRs', spec?.podCIDRs)),
  ],
  selectableFields: { 'spec.unschedulable': ({ spec }) => String(spec?.unschedulable ?? false) },
  columns: [
    textColumn('Status', 'Whether the node is ready and takes pods.', nodeStatus),
    textColumn('Roles', 'Roles of the node.', nodeRoles),
    ageColumn,
    textColumn('Version', 'Version of the kubelet.', ({ status }) => status?.nodeInfo?.kubeletVersion ?? ''),
    wideColumn('Internal-IP', 'Address of the node inside the cluster.', (node) => addressOf(node, 'InternalIP')),
    wideColumn('External-IP', 'Address of the node outside the cluster.', (node) => addressOf(node, 'ExternalIP')),
    wideColumn('OS-Image', 'Operating system.', ({ status }) => status?.nodeInfo?.osImage || '<unknown>'),
    wideColumn(
      'Kernel-Version',
      'Version of the kernel.',
      ({ status }) => status?.nodeInfo?.kernelVersion || '<unknown>',
    ),
    wideColumn(
      'Container-Runtime',
      'Container runtime and its version.',
      ({ status }) => status?.nodeInfo?.containerRuntimeVersion || '<unknown>',
    ),
  ],
});

interface PodCidrs {
  podCIDR?: string;
  podCIDRs?: string[] | null;
}

/** Either field may be given; where they differ, the single one counts. */
function defaultPodCidrs(spec: PodCidrs | undefined): void {
  if (!spec) return;
  if (spec.podCIDR && spec.podCIDR !== spec.podCIDRs?.[0]) spec.podCIDRs = [spec.podCIDR];
  else if (spec.podCIDRs?.[0]) spec.podCIDR = spec.podCIDRs[0];
}

function validatePodCidrs(cidrs: readonly string[]): FieldError[] {
  const errors = rangeList('spec.podCIDRs', cidrs).flatMap(legacyAddressErrors);
  if (cidrs.length < 2 || errors.length > 0) return errors;
  const families = new Set(cidrs.map((cidr) => parseLegacyCidr(cidr)?.cidr.family));
  if (cidrs.length === 2 && families.size === 2) return [];
  return [invalid('spec.podCIDRs', cidrs, 'may specify no more than one CIDR for each IP family')];
}

/** The ranges of the pods of a node stay once it has them. */
function keepsPodCidrs(cidrs: readonly string[], old: readonly string[]): FieldError[] {
  if (old.length === 0 || equalJson(cidrs, old)) return [];
  return [forbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid')];
}

function keepsProvider(provider: string, old: string): FieldError[] {
  if (old === '' || provider === old) return [];
  const detail = `field cannot be ${provider === '' ? 'cleared' : 'modified'} once set`;
  return [invalid('spec.providerID', provider, detail)];
}

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function validateTaints(taints: readonly TaintFields[]): FieldError[] {
  const seen = new Set<string>();
  return taints.flatMap(({ key, value = '', effect }, index) => {
    // Where Kubernetes says they are.
    const field = `metadata.taints[${index}]`;
    const errors = [
      ...invalidBecause(`${field}.key`, key, qualifiedNameProblems(key)),
      ...invalidBecause(`${field}.value`, value, labelValueProblems(value)),
      ...requiredOneOf(`${field}.effect`, effect, effects),
    ];
    if (seen.has(`${key}:${effect}`)) {
      const taint = { Key: key, Value: value, Effect: effect, TimeAdded: null };
      const detail = 'taints must be unique by key and effect pair';
      errors.push({ ...duplicate(field, taint), detail });
    }
    seen.add(`${key}:${effect}`);
    return errors;
  });
}

const field = 'spec.podPreemptionPolicy.disableResizePreemption';
const maxOwners = 20;

/** Who wants that no pod is preempted for another's resize on a node: each says so by a name of its own, as label keys are. */
function validateOwners(owners: readonly string[]): FieldError[] {
  const errors = owners.length > maxOwners ? [tooMany(field, owners.length, maxOwners)] : [];
  const isTwice = repeatsIn(owners);
  for (const [index, owner] of owners.entries()) {
    errors.push(...invalidBecause(`${field}[${index}]`, owner, qualifiedNameProblems(owner)));
    if (isTwice(index)) errors.push(duplicate(`${field}[${index}]`, owner));
  }
  return errors;
}

function nodeStatus({ spec, status }: KubeObject): string {
  const conditions: readonly { type: string; status: string }[] = status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === 'Ready');
  const words = [ready === undefined ? 'Unknown' : ready.status === 'True' ? 'Ready' : 'NotReady'];
  if (spec?.unschedulable) words.push('SchedulingDisabled');
  return words.join(',');
}

function nodeRoles({ metadata }: KubeObject): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (key.startsWith('node-role.kubernetes.io/')) roles.add(key.slice('node-role.kubernetes.io/'.length));
    else if (key === 'kubernetes.io/role' && value !== '') roles.add(value);
  }
  roles.delete('');
  return roles.size === 0 ? '<none>' : [...roles].sort().join(',');
}

function addressOf({ status }: KubeObject, type: string): string {
  const addresses: readonly { type: string; address: string }[] = status?.addresses ?? [];
  return addresses.find((address) => address.type === type)?.address ?? '<none>';
}
