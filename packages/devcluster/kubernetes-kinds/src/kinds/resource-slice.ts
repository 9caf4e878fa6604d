import { invalidBecause, unchanged } from '@slipway/api-machinery/errors/field-checks';
import { duplicate, type FieldError, invalid, required, tooMany } from '@slipway/api-machinery/errors/field-error';
import { labelProblems, subdomainProblems } from '@slipway/api-machinery/errors/names';
import { repeatsIn } from '@slipway/api-machinery/errors/repeats';
import { equalJson } from '@slipway/api-machinery/json/json-value';
import { ageColumn, textColumn } from '@slipway/api-server/registry/columns';
import { defineResource } from '@slipway/api-server/registry/define-resource';
import { timestamp } from '@slipway/kube';
import { validateDriverName } from './csi-driver.js';

interface ResourceSliceSpecFields {
  driver?: string;
  pool?: { name?: string; generation?: number; resourceSliceCount?: number };
  nodeName?: string;
  nodeSelector?: { nodeSelectorTerms?: object[] | null };
  allNodes?: boolean;
  perDeviceNodeSelection?: boolean;
  devices?: { name?: string; taints?: { timeAdded?: string }[] | null }[] | null;
}

export const resourceSlices = defineResource({
  group: 'resource.k8s.io',
  version: 'v1',
  since: '1.34',
  kind: 'ResourceSlice',
  plural: 'resourceslices',
  namespaced: false,
  returnsDeleted: true,
  message: 'resource.v1.ResourceSlice',
  generation: ['spec'],
  serverDefaults({ spec }, { nowMs }) {
    const { devices }: ResourceSliceSpecFields = spec ?? {};
    const taints = (devices ?? []).flatMap((device) => device.taints ?? []);
    for (const taint of taints) taint.timeAdded ??= timestamp(nowMs);
  },
  validate: ({ spec }) => validateSpec(spec ?? {}),
  validateUpdate: ({ spec = {} }, { spec: old = {} }) => [
    ...unchanged('spec.driver', spec.driver, old.driver, equalJson),
    ...unchanged('spec.pool.name', spec.pool?.name, old.pool?.name, equalJson),
    ...unchanged('spec.nodeName', spec.nodeName, old.nodeName, equalJson),
  ],
  selectableFields: {
    'spec.driver': ({ spec }) => spec?.driver ?? '',
    'spec.nodeName': ({ spec }) => spec?.nodeName ?? '',
  },
  columns: [
    textColumn('Node', 'Where the devices are.', ({ spec }) => spec?.nodeName ?? '<unset>'),
    textColumn('Driver', 'Whose devices they are.', ({ spec }) => spec?.driver ?? ''),
    textColumn('Pool', 'Pool of the devices.', ({ spec }) => spec?.pool?.name ?? ''),
    ageColumn,
  ],
});

const maxDevices = 128;

function validateSpec({ driver = '', pool = {}, devices, ...spec }: ResourceSliceSpecFields): FieldError[] {
  const names = (devices ?? []).map(({ name = '' }) => name);
  const isTwice = repeatsIn(names);
  return [
    ...(driver === '' ? [required('spec.driver')] : validateDriverName(driver, 'spec.driver')),
    ...validatePool(pool),
    ...validatePlace(spec),
    ...names.flatMap((name, index) => {
      const field = `spec.devices[${index}].name`;
      if (name === '') return [required(field)];
      return [...invalidBecause(field, name, labelProblems(name)), ...(isTwice(index) ? [duplicate(field, name)] : [])];
    }),
    ...(names.length > maxDevices ? [tooMany('spec.devices', names.length, maxDevices)] : []),
  ];
}

function validatePool(pool: NonNullable<ResourceSliceSpecFields['pool']>): FieldError[] {
  const { name = '', generation = 0, resourceSliceCount = 0 } = pool;
  const field = 'spec.pool';
  return [
    ...(name === ''
      ? [required(`${field}.name`)]
      : name.split('/').flatMap((part) => invalidBecause(`${field}.name`, part, subdomainProblems(part)))),
    ...(resourceSliceCount <= 0
      ? [invalid(`${field}.resourceSliceCount`, resourceSliceCount, 'must be greater than zero')]
      : []),
    ...(generation < 0 ? [invalid(`${field}.generation`, generation, 'must be greater than or equal to zero')] : []),
  ];
}

/** Exactly one of four fields says at which nodes the devices are. */
function validatePlace(spec: ResourceSliceSpecFields): FieldError[] {
  const { nodeName, nodeSelector, allNodes, perDeviceNodeSelection } = spec;
  const rule = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  const given = Object.entries({ nodeName, nodeSelector, allNodes, perDeviceNodeSelection })
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name]) => `\`${name}\``);
  if (given.length === 0) return [required('spec', rule)];
  const shown = `{${given.join(', ')}}`;
  const tooManyGiven = given.length > 1 ? [invalid('spec', shown, `${rule}, but multiple fields are set`)] : [];
  const terms = nodeSelector?.nodeSelectorTerms ?? [];
  return [
    ...(nodeName === undefined ? [] : invalidBecause('spec.nodeName', nodeName, subdomainProblems(nodeName))),
    ...(nodeSelector && terms.length !== 1
      ? [invalid('spec.nodeSelector.nodeSelectorTerms', terms, 'must have exactly one node selector term')]
      : []),
    ...tooManyGiven,
  ];
}
