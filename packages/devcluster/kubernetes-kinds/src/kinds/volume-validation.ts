import { invalidBecause, oneOf, requiredOneOf } from '@slipway/api-machinery/errors/field-checks';
import { duplicate, type FieldError, forbidden, invalid, required } from '@slipway/api-machinery/errors/field-error';
import { labelProblems } from '@slipway/api-machinery/errors/names';
import { parseQuantity } from '@slipway/kube';
import type { VolumeFields } from '@slipway/kube-objects/kinds/pod-spec';
import { validateLocalPath, validateNoBacksteps } from './path-rules.js';
import { validateProjected } from './projected-volume.js';
import { pullPolicies } from './pull-policy.js';
import { validateDownwardFile, validateKeyFiles, validateMode } from './volume-files.js';
import { missingOf } from './volume-sources.js';

/** Volumes by name that containers can mount, and what is wrong with the others. */
export interface CheckedVolumes {
  readonly usable: ReadonlyMap<string, VolumeFields>;
  readonly errors: readonly FieldError[];
}

/** Validates the volumes of a pod. */
export function validateVolumes(volumes: readonly VolumeFields[], field: string): CheckedVolumes {
  const usable = new Map<string, VolumeFields>();
  const errors = volumes.flatMap((volume, index) => {
    const at = `${field}[${index}]`;
    const { name = '' } = volume;
    const found = validateSources(volume, at);
    if (name === '') found.push(required(`${at}.name`));
    else found.push(...invalidBecause(`${at}.name`, name, labelProblems(name)));
    if (usable.has(name)) found.push(duplicate(`${at}.name`, name));
    if (found.length === 0) usable.set(name, volume);
    return found;
  });
  return { usable, errors };
}

/** In the order in which they are looked at. */
const sources = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'quobyte',
  'downwardAPI',
  'fc',
  'flexVolume',
  'configMap',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'storageos',
  'projected',
  'scaleIO',
  'csi',
  'ephemeral',
  'image',
];

/** Paths of errors that are not those of the field. */
const pathOfSecond: Readonly<Record<string, string>> = { cephfs: 'cephFS', downwardAPI: 'downwarAPI' };
const pathOfContent: Readonly<Record<string, string>> = { gcePersistentDisk: 'persistentDisk' };

function validateSources(volume: VolumeFields, field: string): FieldError[] {
  const [first, ...more] = sources.filter((source) => volume[source] !== undefined && volume[source] !== null);
  if (first === undefined) return [required(field, 'must specify a volume type')];
  return [
    ...validateSource(volume, first, `${field}.${pathOfContent[first] ?? first}`),
    ...more.map((source) =>
      forbidden(`${field}.${pathOfSecond[source] ?? source}`, 'may not specify more than 1 volume type'),
    ),
  ];
}

function validateSource(volume: VolumeFields, source: string, field: string): FieldError[] {
  const missing = missingOf(source, volume[source] as object, field);
  return [...missing, ...(details[source]?.(volume, field) ?? [])];
}

/** What is looked at beyond the fields that a source must have. */
const details: Readonly<Record<string, (volume: VolumeFields, field: string) => readonly FieldError[]>> = {
  emptyDir({ emptyDir: { sizeLimit } = {} }, field) {
    if (sizeLimit === undefined || parseQuantity(sizeLimit).nano >= 0n) return [];
    return [forbidden(`${field}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')];
  },
  hostPath({ hostPath: { path = '', type = '' } = {} }, field) {
    if (path === '') return [];
    return [...validateNoBacksteps(path, `${field}.path`), ...oneOf(`${field}.type`, type, hostPathTypes)];
  },
  gitRepo: ({ gitRepo: { directory = '' } = {} }, field) => validateLocalPath(directory, `${field}.directory`),
  gcePersistentDisk: ({ gcePersistentDisk }, field) => validatePartition(gcePersistentDisk, field),
  awsElasticBlockStore: ({ awsElasticBlockStore }, field) => validatePartition(awsElasticBlockStore, field),
  secret: ({ secret = {} }, field) => validateKeyFiles(secret, field),
  configMap: ({ configMap = {} }, field) => validateKeyFiles(configMap, field),
  nfs({ nfs: { path = '' } = {} }, field) {
    return path.startsWith('/') ? [] : [invalid(`${field}.path`, path, 'must be an absolute path')];
  },
  downwardAPI({ downwardAPI: { defaultMode, items } = {} }, field) {
    return [
      ...validateMode(defaultMode, `${field}.defaultMode`),
      ...(items ?? []).flatMap((item) => validateDownwardFile(item, field)),
    ];
  },
  image: ({ image: { pullPolicy = '' } = {} }, field) => requiredOneOf(`${field}.pullPolicy`, pullPolicy, pullPolicies),
  projected: ({ projected = {} }, field) => validateProjected(projected, field),
  ephemeral({ ephemeral }, field) {
    return ephemeral?.volumeClaimTemplate ? [] : [required(`${field}.volumeClaimTemplate`)];
  },
};

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

function validatePartition(disk: VolumeFields['gcePersistentDisk'], field: string): FieldError[] {
  const { partition = 0 } = disk ?? {};
  if (partition >= 0 && partition <= 255) return [];
  return [invalid(`${field}.partition`, partition, 'must be between 1 and 255, inclusive')];
}
