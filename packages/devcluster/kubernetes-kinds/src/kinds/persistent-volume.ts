import { invalidBecause, oneOf, unchanged } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, forbidden, invalid, notSupported, required } from '@slipway/api-machinery/errors/field-error';
import { subdomainProblems } from '@slipway/api-machinery/errors/names';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { objectTime } from '@slipway/api-machinery/json/write/object-time';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import { parseQuantity } from '@slipway/kube';
import { volumeObjectWarnings } from '../warnings/storage-warnings.js';
import {
  accessModesText,
  storageClassColumn,
  validateAccessModes,
  volumeAttributesColumn,
  volumeModeColumn,
} from './access-modes.js';
import { validateNodeSelector } from './affinity-validation.js';
import { missingOf } from './volume-sources.js';

type NodeSelectorFields = Parameters<typeof validateNodeSelector>[0];

interface VolumeSpecFields {
  capacity?: Record<string, string>;
  accessModes?: string[] | null;
  persistentVolumeReclaimPolicy?: string;
  volumeMode?: string;
  claimRef?: { namespace?: string; name?: string };
  hostPath?: { type?: string };
  nodeAffinity?: { required?: NodeSelectorFields };
  storageClassName?: string;
  volumeAttributesClassName?: string;
  [source: string]: unknown;
}

export const persistentVolumes = defineResource({
  group: '',
  version: 'v1',
  kind: 'PersistentVolume',
  plural: 'persistentvolumes',
  shortNames: ['pv'],
  namespaced: false,
  returnsDeleted: true,
  message: 'core.v1.PersistentVolume',
  warnings: volumeObjectWarnings,
  subresources: { status: true },
  defaults(volume) {
    volume.spec ??= {};
    const spec: VolumeSpecFields = volume.spec;
    spec.persistentVolumeReclaimPolicy ||= 'Retain';
    spec.volumeMode ??= 'Filesystem';
    if (spec.hostPath) spec.hostPath.type ??= '';
    volume.status = { ...volume.status, phase: volume.status?.phase || 'Pending' };
  },
  initialStatus: (_volume, { nowMs }) => ({ phase: 'Pending', lastPhaseTransitionTime: objectTime(nowMs) }),
  prepareForUpdate(volume, old, { subresource, nowMs }) {
    if (subresource === 'status') keepTransition(volume.status, old.status ?? {}, nowMs);
  },
  validate: ({ spec }) => validateSpec(spec),
  validateUpdate: ({ spec }, old) => keepsVolume(spec ?? {}, old.spec ?? {}),
  columns: [
    textColumn('Capacity', 'Size of the volume.', ({ spec }) => spec?.capacity?.storage ?? '0'),
    textColumn('Access Modes', 'How the volume may be mounted.', ({ spec }) => accessModesText(spec?.accessModes)),
    textColumn(
      'Reclaim Policy',
      'What happens to the volume when its claim is gone.',
      ({ spec }) => spec?.persistentVolumeReclaimPolicy ?? '',
    ),
    textColumn('Status', 'Whether the volume is bound to a claim.', ({ metadata, status }) =>
      metadata.deletionTimestamp ? 'Terminating' : (status?.phase ?? ''),
    ),
    textColumn('Claim', 'Claim that the volume is bound to.', ({ spec }) => {
      const claim: VolumeSpecFields['claimRef'] = spec?.claimRef;
      return claim ? `${claim.namespace ?? ''}/${claim.name ?? ''}` : '';
    }),
    storageClassColumn,
    volumeAttributesColumn,
    textColumn('Reason', 'Why the volume is in this state.', ({ status }) => status?.reason ?? ''),
    ageColumn,
    volumeModeColumn,
  ],
});

/** In the order in which they are looked at. */
const sources = [
  ...[
    'hostPath',
    'gcePersistentDisk',
    'awsElasticBlockStore',
    'glusterfs',
    'flocker',
    'nfs',
    'rbd',
    'quobyte',
    'cephfs',
  ],
  ...['iscsi', 'cinder', 'fc', 'flexVolume', 'azureFile', 'vsphereVolume', 'photonPersistentDisk', 'portworxVolume'],
  ...['azureDisk', 'scaleIO', 'local', 'storageos', 'csi'],
];
const volumeModes = ['Block', 'Filesystem'];
const reclaimPolicies = ['Delete', 'Recycle', 'Retain'];

function validateSpec(spec: VolumeSpecFields): FieldError[] {
  const { accessModes, capacity = {}, persistentVolumeReclaimPolicy = '' } = spec;
  const errors = validateAccessModes(accessModes ?? [], 'spec.accessModes', '');
  if (Object.keys(capacity).length === 0) {
    errors.push(required('spec.capacity'), notSupported('spec.capacity', null, ['storage']));
  } else if (capacity.storage === undefined || Object.keys(capacity).length > 1) {
    errors.push(notSupported('spec.capacity', capacity, ['storage']));
  }
  for (const [name, amount] of Object.entries(capacity)) {
    const field = `spec.capacity[${name}]`;
    const { nano } = parseQuantity(amount);
    if (nano < 0n) errors.push(invalid(field, amount, 'must be a valid resource quantity'));
    if (nano <= 0n) errors.push(invalid(field, amount, 'must be greater than zero'));
  }
  errors.push(...oneOf('spec.persistentVolumeReclaimPolicy', persistentVolumeReclaimPolicy, reclaimPolicies));
  const { nodeAffinity, storageClassName = '', volumeMode } = spec;
  if (nodeAffinity) {
    const field = 'spec.nodeAffinity.required';
    if (nodeAffinity.required) errors.push(...validateNodeSelector(nodeAffinity.required, field));
    else errors.push(required(field, 'must specify required node constraints'));
  }
  errors.push(...validateSource(spec));
  if (storageClassName !== '') {
    errors.push(...invalidBecause('spec.storageClassName', storageClassName, subdomainProblems(storageClassName)));
  }
  errors.push(...oneOf('spec.volumeMode', volumeMode, volumeModes));
  return [...errors, ...validateAttributesClass(spec)];
}

/** A volume stays what it is: Kubernetes also prints what of it would change. */
function keepsVolume(spec: VolumeSpecFields, old: VolumeSpecFields): FieldError[] {
  const sourceOf = (fields: VolumeSpecFields) =>
    Object.fromEntries(sources.filter((name) => fields[name]).map((name) => [name, fields[name]]));
  const detail = 'spec.persistentvolumesource is immutable after creation';
  return [
    ...(equalJson(withoutExpansion(sourceOf(spec), old), sourceOf(old))
      ? []
      : [forbidden('spec.persistentvolumesource', detail)]),
    ...unchanged('volumeMode', spec.volumeMode, old.volumeMode, (a, b) => a === b),
  ];
}

/** The secret for expanding a volume may be added later. */
function withoutExpansion(source: Record<string, unknown>, { csi: before }: VolumeSpecFields): Record<string, unknown> {
  const { controllerExpandSecretRef: had } = Object(before);
  if (!source.csi || !before || had) return source;
  const { controllerExpandSecretRef: _, ...csi } = source.csi as Record<string, unknown>;
  return { ...source, csi };
}

function validateAttributesClass({ volumeAttributesClassName: name, csi }: VolumeSpecFields): FieldError[] {
  if (name === undefined) return [];
  const field = 'spec.volumeAttributesClassName';
  return [
    ...(name === ''
      ? [required(field, 'an empty string is disallowed')]
      : invalidBecause(field, name, subdomainProblems(name))),
    ...(csi ? [] : [required('spec.csi', 'has to be specified when using volumeAttributesClassName')]),
  ];
}

function validateSource(spec: VolumeSpecFields): FieldError[] {
  const [first, ...more] = sources.filter((source) => spec[source]);
  if (first === undefined) return [required('spec', 'must specify a volume type')];
  return [
    ...missingOf(first, spec[first] as object, `spec.${first}`),
    ...more.map((source) => forbidden(`spec.${source}`, 'may not specify more than 1 volume type')),
  ];
}

interface VolumeStatusFields {
  phase?: string;
  lastPhaseTransitionTime?: string;
}

/** The time of a phase stays with it; a new phase has the time of now, unless its writer says another. */
function keepTransition(status: VolumeStatusFields, old: VolumeStatusFields, nowMs: number): void {
  const { lastPhaseTransitionTime: since } = status;
  if (status.phase === old.phase) {
    if (since === undefined && old.lastPhaseTransitionTime)
      status.lastPhaseTransitionTime = old.lastPhaseTransitionTime;
  } else if (since === undefined || since === old.lastPhaseTransitionTime) {
    status.lastPhaseTransitionTime = objectTime(nowMs);
  }
}
