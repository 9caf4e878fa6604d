import type { ResourceDefinition } from '@slipway/api-server/registry/resource-definition';
import { expect, test } from 'vitest';
import { csiDrivers } from './csi-driver.js';
import { csiNodes } from './csi-node.js';
import { csiStorageCapacities } from './csi-storage-capacity.js';
import { podTemplates } from './pod-template.js';
import { runtimeClasses } from './runtime-class.js';
import { created, createErrors, row, updateErrors } from './testing/write.js';
import { volumeAttachments } from './volume-attachment.js';
import { volumeAttributesClasses } from './volume-attributes-class.js';

const driver = (spec: object = {}) => ({ metadata: { name: 'disk.example.com' }, spec });
const attachment = (source: object) => ({ spec: { attacher: 'disk.example.com', nodeName: 'n1', source } });

test('CSIDriver gets the defaults that Kubernetes gives, and shows them', () => {
  const made = created(csiDrivers, driver());
  expect(made.spec).toEqual({
    attachRequired: true,
    podInfoOnMount: false,
    storageCapacity: false,
    fsGroupPolicy: 'ReadWriteOnceWithFSType',
    volumeLifecycleModes: ['Persistent'],
    requiresRepublish: false,
    seLinuxMount: false,
  });
  expect(row(csiDrivers, made)).toMatchObject({ ATTACHREQUIRED: true, TOKENREQUESTS: '<unset>', MODES: 'Persistent' });
});

test('tables show what is asked for most', () => {
  const claimed = created(volumeAttachments, attachment({ persistentVolumeName: 'pv' }));
  expect(row(volumeAttachments, claimed)).toMatchObject({ PV: 'pv', NODE: 'n1', ATTACHED: false });
  const capacity = created(csiStorageCapacities, { storageClassName: 'fast', capacity: '1Gi' });
  expect(row(csiStorageCapacities, capacity)).toMatchObject({ STORAGECLASSNAME: 'fast', CAPACITY: '1Gi' });
  const containers = [{ name: 'main', image: 'image' }];
  const template = created(podTemplates, { template: { metadata: { labels: { a: 'b' } }, spec: { containers } } });
  expect(row(podTemplates, template)).toEqual({ CONTAINERS: 'main', IMAGES: 'image', 'POD LABELS': 'a=b' });
  expect(template.template.spec.restartPolicy).toBe('Always');
});

// kind | object | what is wrong with it
const invalid: [ResourceDefinition, object, string[]][] = [
  [
    csiDrivers,
    driver({
      fsGroupPolicy: 'Sometimes',
      tokenRequests: [{ audience: 'a' }, { audience: 'a', expirationSeconds: 60 }],
    }),
    [
      'spec.fsGroupPolicy: Unsupported value: "Sometimes": supported values: "File", "None", "ReadWriteOnceWithFSType"',
      'spec.tokenRequests[1].audience: Duplicate value: "a"',
      'spec.tokenRequests[1].expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes',
    ],
  ],
  [csiNodes, { spec: { drivers: [{ name: 'a', nodeID: 'x' }] } }, []],
  [
    csiNodes,
    {
      spec: {
        drivers: [
          { name: 'a', nodeID: 'x' },
          { name: 'a', nodeID: '' },
        ],
      },
    },
    ['spec.drivers[1].nodeID: Required value', 'spec.drivers[1].name: Duplicate value: "a"'],
  ],
  [volumeAttachments, attachment({ persistentVolumeName: 'pv' }), []],
  [
    volumeAttachments,
    attachment({}),
    ['spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName'],
  ],
  [volumeAttributesClasses, { driverName: 'disk.example.com', parameters: { iops: '9' } }, []],
  [
    volumeAttributesClasses,
    {},
    ['driverName: Required value', 'parameters: Required value: must contain at least one key/value pair'],
  ],
  [runtimeClasses, { handler: 'kata', overhead: { podFixed: { cpu: '100m' } } }, []],
  [
    runtimeClasses,
    {
      handler: 'kata',
      scheduling: {
        tolerations: [
          { key: 'a', operator: 'Exists' },
          { key: 'a', operator: 'Exists' },
        ],
      },
    },
    [
      'scheduling.tolerations[1]: Duplicate value: {"Key":"a","Operator":"Exists","Value":"","Effect":"","TolerationSeconds":null}',
    ],
  ],
];

test.each(invalid)('%s: %j', (definition, object, errors) => {
  expect(createErrors(definition, object)).toEqual(errors);
});

test('what must stay stays', () => {
  expect(updateErrors(runtimeClasses, { handler: 'kata' }, { handler: 'runc' })).toEqual([
    'handler: Invalid value: null: field is immutable',
  ]);
  expect(updateErrors(csiDrivers, driver(), driver({ attachRequired: false }))).toEqual([
    'spec.attachedRequired: Invalid value: false: field is immutable',
  ]);
  expect(
    updateErrors(
      volumeAttachments,
      attachment({ persistentVolumeName: 'a' }),
      attachment({ persistentVolumeName: 'b' }),
    ),
  ).toEqual([expect.stringMatching(/^spec: Invalid value: .*: field is immutable$/)]);
  const ofClass = (iops: string) => ({ driverName: 'disk.example.com', parameters: { iops } });
  expect(updateErrors(volumeAttributesClasses, ofClass('1'), ofClass('2'))).toEqual([
    'parameters: Forbidden: updates to parameters are forbidden.',
  ]);
});
