import { invalidBecause } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, forbidden, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { subdomainProblems } from '@slipway/api-machinery/errors/names';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import { validateDriverName } from './csi-driver.js';

interface AttachmentSpecFields {
  attacher?: string;
  nodeName?: string;
  source?: { persistentVolumeName?: string; inlineVolumeSpec?: object };
}

/** A request to attach a volume; its driver does it. Simulated volumes are at every node without. */
export const volumeAttachments = defineResource({
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttachment',
  plural: 'volumeattachments',
  namespaced: false,
  mustNameVersion: true,
  statusKeeps: 'metadata',
  returnsDeleted: true,
  message: 'storage.v1.VolumeAttachment',
  subresources: { status: true },
  initialStatus: () => ({ attached: false }),
  validate: ({ spec }) => validateSpec(spec ?? {}),
  validateUpdate: ({ spec }, old) => (equalJson(spec, old.spec) ? [] : [invalid('spec', spec, 'field is immutable')]),
  columns: [
    textColumn('Attacher', 'Driver that attaches it.', ({ spec }) => spec?.attacher ?? ''),
    textColumn('PV', 'Volume that is attached.', ({ spec }) => spec?.source?.persistentVolumeName ?? ''),
    textColumn('Node', 'Where it is attached.', ({ spec }) => spec?.nodeName ?? ''),
    { ...textColumn('Attached', 'Whether it is.', ({ status }) => status?.attached ?? false), type: 'boolean' },
    ageColumn,
  ],
});

function validateSpec({ attacher = '', nodeName = '', source = {} }: AttachmentSpecFields): FieldError[] {
  return [
    ...(attacher === '' ? [required('spec.attacher')] : validateDriverName(attacher, 'spec.attacher')),
    ...validateSource(source),
    ...invalidBecause('spec.nodeName', nodeName, subdomainProblems(nodeName)),
  ];
}

const one = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';

function validateSource(source: NonNullable<AttachmentSpecFields['source']>): FieldError[] {
  const { persistentVolumeName, inlineVolumeSpec } = source;
  const field = 'spec.source';
  if (persistentVolumeName === undefined) return inlineVolumeSpec ? [] : [required(field, one)];
  if (inlineVolumeSpec) return [forbidden(field, one)];
  return persistentVolumeName === ''
    ? [required(`${field}.persistentVolumeName`, 'must specify non empty persistentVolumeName')]
    : [];
}
