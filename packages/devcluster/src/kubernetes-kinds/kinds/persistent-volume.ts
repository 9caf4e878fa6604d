import type { FieldError } from '@slipway/api-machinery/errors/field-error';
import { forbidden, notSupported, required } from '@slipway/api-machinery/errors/field-error';
import { objectTime } from '@slipway/api-machinery/json/write/object-time';
import { ageColumn, textColumn } from '../../api-server/registry/columns.js';
import { defineResource } from '../../api-server/registry/define-resource.js';
import {
  accessModesText,
  storageClassColumn,
  validateAccessModes,
  volumeAttributesColumn,
  volumeModeColumn,
} from './access-modes.js';

interface VolumeSpecFields {
  capacity?: Record<string, string>;
  accessModes?: string[] | null;
  persistentVolumeReclaimPolicy?: string;
  volumeMode?: string;
  claimRef?: { namespace?: string; name?: string };
  hostPath?: { type?: string };
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
  subresources: { status: true },
  defaults(volume) {
    volume.spec ??= {};
    const spec: VolumeSpecFields = volume.spec;
    spec.persistentVolumeReclaimPolicy ||= 'Retain';
    spec.volumeMode ??= 'Filesystem';
    if (spec.hostPath) spec.hostPath.type ??= '';
  },
  initialStatus: (_volume, { nowMs }) => ({ phase: 'Pending', lastPhaseTransitionTime: objectTime(nowMs) }),
  validate: ({ spec }) => validateSpec(spec),
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

const notSources = new Set([
  'capacity',
  'accessModes',
  'claimRef',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'mountOptions',
  'volumeMode',
  'nodeAffinity',
  'volumeAttributesClassName',
]);
const reclaimPolicies = ['Delete', 'Recycle', 'Retain'];

function validateSpec(spec: VolumeSpecFields): FieldError[] {
  const { accessModes, capacity = {}, persistentVolumeReclaimPolicy = '' } = spec;
  const errors = validateAccessModes(accessModes ?? [], 'spec.accessModes', '');
  if (Object.keys(capacity).length === 0) {
    errors.push(required('spec.capacity'), notSupported('spec.capacity', null, ['storage']));
  } else if (capacity.storage === undefined || Object.keys(capacity).length > 1) {
    errors.push(notSupported('spec.capacity', capacity, ['storage']));
  }
  if (!reclaimPolicies.includes(persistentVolumeReclaimPolicy)) {
    errors.push(notSupported('spec.persistentVolumeReclaimPolicy', persistentVolumeReclaimPolicy, reclaimPolicies));
  }
  const sources = Object.keys(spec).filter((field) => !notSources.has(field));
  if (sources.length === 0) errors.push(required('spec', 'must specify a volume type'));
  for (const source of sources.slice(1))
    errors.push(forbidden(`spec.${source}`, 'may not specify more than 1 volume type'));
  return errors;
}
