import { invalidBecause, oneOf } from '@slipway/api-machinery/errors/field-checks';
import { type FieldError, forbidden, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { subdomainProblems } from '@slipway/api-machinery/errors/names';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import { compareQuantity, type KubeObject, parseQuantity, type Quantity } from '@slipway/kube';
import { claimWarnings } from '../warnings/storage-warnings.js';
import {
  accessModesText,
  storageClassColumn,
  validateAccessModes,
  volumeAttributesColumn,
  volumeModeColumn,
} from './access-modes.js';
import { type DataSources, fillDataSources, validateDataSources } from './claim-data-source.js';

export const persistentVolumeClaims = defineResource({
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  shortNames: ['pvc'],
  namespaced: true,
  returnsDeleted: true,
  message: 'core.v1.PersistentVolumeClaim',
  warnings: claimWarnings,
  nameRules: 'last',
  subresources: { status: true },
  defaults: defaultClaim,
  initialStatus: () => ({ phase: 'Pending' }),
  prepareForCreate: ({ spec }) => fillDataSources(spec),
  prepareForUpdate(claim, old, { subresource }) {
    if (subresource === '') fillDataSources(claim.spec, old.spec);
  },
  validate: ({ spec }) => validateClaimSpec(spec ?? {}, 'spec'),
  validateUpdate: ({ spec, status }, old) => [
    ...validateSpecUpdate(spec, old.spec, status?.phase === 'Bound'),
    ...validateSize(spec, old),
  ],
  columns: [
    textColumn('Status', 'Whether the claim has a volume.', ({ metadata, status }) =>
      metadata.deletionTimestamp ? 'Terminating' : (status?.phase ?? ''),
    ),
    textColumn('Volume', 'Volume of the claim.', ({ spec }) => spec?.volumeName ?? ''),
    textColumn('Capacity', 'Size of the volume.', ({ spec, status }) =>
      spec?.volumeName ? (status?.capacity?.storage ?? '0') : '',
    ),
    textColumn('Access Modes', 'How the volume may be mounted.', ({ spec, status }) =>
      spec?.volumeName ? accessModesText(status?.accessModes) : '',
    ),
    storageClassColumn,
    volumeAttributesColumn,
    ageColumn,
    volumeModeColumn,
  ],
});

/** Fills in what Kubernetes assumes of a claim, or of a template of one. In place. */
export function defaultClaim(claim: KubeObject): void {
  claim.spec ??= {};
  claim.spec.volumeMode ??= 'Filesystem';
  if (claim.status) claim.status.phase ||= 'Pending';
}

interface ClaimResources {
  requests?: Record<string, string>;
  limits?: Record<string, string>;
}

interface ClaimSpecFields extends DataSources {
  accessModes?: string[] | null;
  resources?: ClaimResources;
  volumeName?: string;
  volumeAttributesClassName?: string;
  storageClassName?: string;
  volumeMode?: string;
}

const modes = ['Block', 'Filesystem'];

/** What is wrong with the spec of a claim. */
function validateClaimSpec(spec: ClaimSpecFields, field: string): FieldError[] {
  const errors = validateAccessModes(spec.accessModes ?? [], `${field}.accessModes`);
  const storage = spec.resources?.requests?.storage;
  const at = `${field}.resources[storage]`;
  if (storage === undefined) errors.push(required(at));
  else if (parseQuantity(storage).nano <= 0n) errors.push(invalid(at, storage, 'must be greater than zero'));
  const { storageClassName = '', volumeMode } = spec;
  if (storageClassName !== '') {
    errors.push(...invalidBecause(`${field}.storageClassName`, storageClassName, subdomainProblems(storageClassName)));
  }
  errors.push(...oneOf(`${field}.volumeMode`, volumeMode, modes));
  const { volumeAttributesClassName: attributes = '' } = spec;
  const ofAttributes = attributes === '' ? [] : subdomainProblems(attributes);
  return [
    ...errors,
    ...validateDataSources(spec, field),
    ...invalidBecause(`${field}.volumeAttributesClassName`, attributes, ofAttributes),
  ];
}

/** A claim is fixed once made: a volume may be bound to it, and then it may grow. */
function validateSpecUpdate(spec: ClaimSpecFields, old: ClaimSpecFields, isBound: boolean): FieldError[] {
  const fixed = ({ resources, volumeName, volumeAttributesClassName, ...rest }: ClaimSpecFields) => ({
    ...rest,
    resources: isBound ? withoutSize(resources) : resources,
    ...(!isBound && { volumeAttributesClassName }),
    ...(old.volumeName && { volumeName }),
  });
  if (equalJson(withoutUndefined(fixed(spec)), withoutUndefined(fixed(old)))) return [];
  const detail =
    'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
  return [forbidden('spec', detail)];
}

function withoutSize({ requests, ...rest }: ClaimResources = {}): object {
  const { storage: _, ...others } = requests ?? {};
  return { ...rest, requests: others };
}

/** Volumes do not shrink. A claim may take back a wish that was never granted, as long as it asks for more than it has. */
function validateSize({ resources }: ClaimSpecFields, { spec, status }: KubeObject): FieldError[] {
  const [asked, before, has] = [resources, spec.resources, { requests: status?.capacity }].map((amounts) =>
    parseQuantity(amounts?.requests?.storage ?? '0'),
  ) as [Quantity, Quantity, Quantity];
  if (compareQuantity(asked, before) >= 0 || compareQuantity(asked, has) > 0) return [];
  return [forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity')];
}

function withoutUndefined(fields: object): unknown {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
