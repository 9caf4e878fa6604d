import { type KubeObject, StatusError } from '@slipway/kube';
import { cpuMsOf } from '@slipway/kube/testing';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shippedTable } from './message-table.js';
import { encodeEnvelope } from './testing/encode-protobuf.js';
import { builtInSchema } from './type-table.js';

const podSpec = {
  containers: [
    {
      name: 'c',
      image: 'i',
      ports: [{ containerPort: 80, protocol: 'TCP' }],
      resources: { requests: { cpu: '500m' } },
      readinessProbe: { httpGet: { path: '/', port: 'web' }, periodSeconds: 5 },
      env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'cm', key: 'k', optional: false } } }],
    },
  ],
  volumes: [
    { name: 'v', emptyDir: {} },
    { name: 'w', configMap: { name: 'cm', items: [{ key: 'a', path: 'b' }] } },
  ],
  securityContext: {},
  tolerations: [{ key: 'k', operator: 'Exists', tolerationSeconds: 0 }],
};

// message, object as it is stored
const known: [string, KubeObject][] = [
  [
    'apps.v1.Deployment',
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'd', labels: { a: 'b' }, creationTimestamp: '2026-01-02T03:04:05Z' },
      spec: {
        replicas: 0,
        selector: { matchLabels: { a: 'b' } },
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: 0 } },
        template: { metadata: { labels: { a: 'b' } }, spec: podSpec },
      },
      status: {},
    },
  ],
  [
    'core.v1.ConfigMap',
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c' },
      data: { a: '', ü: 'é' },
      binaryData: { b: 'AAEC' },
    },
  ],
  [
    'core.v1.Secret',
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { a: 'Yg==' }, type: 'Opaque' },
  ],
  [
    'coordination.v1.Lease',
    {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: {
        name: 'l',
        namespace: 'n',
        ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'x', uid: 'u' }],
      },
      spec: { holderIdentity: 'h', leaseDurationSeconds: 40, renewTime: '2026-01-02T03:04:05.678901Z' },
    },
  ],
  [
    'apiextensions.v1.CustomResourceDefinition',
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'a.b.c' },
      spec: {
        group: 'b.c',
        names: { plural: 'a', kind: 'A' },
        scope: 'Namespaced',
        versions: [
          {
            name: 'v1',
            served: true,
            storage: false,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  n: { type: 'number', maximum: 0, multipleOf: 0.5, default: 0 },
                  l: { type: 'array', items: { type: 'string', enum: ['x', null] } },
                  m: { type: 'object', additionalProperties: true },
                  o: { type: 'object', additionalProperties: { type: 'string' }, default: { a: [1, { b: null }] } },
                },
              },
            },
          },
        ],
      },
      status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: ['v1'] },
    },
  ],
  [
    'meta.v1.DeleteOptions',
    { apiVersion: 'v1', kind: 'DeleteOptions', metadata: {}, gracePeriodSeconds: 0, dryRun: ['All'] },
  ],
];

describe('builtInSchema().admit()', () => {
  test.each(known.slice(0, 5))('leaves a stored %s as it is', (message, object) => {
    const admitted = structuredClone(object);
    expect(builtInSchema(message).admit(admitted).unknown).toEqual([]);
    expect(admitted).toEqual(object);
  });

  const pod = (change: Record<string, unknown>): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p' },
    ...structuredClone(change),
  });

  test('drops unknown fields and gives their paths', () => {
    const object = pod({
      metadata: { name: 'p', nope: 1 },
      spec: { containers: [{ name: 'a' }, { name: 'b', foo: 1, env: [{ name: 'x', bar: 2 }] }] },
      top: {},
    });
    const { unknown } = builtInSchema('core.v1.Pod').admit(object);
    expect(unknown).toEqual(['metadata.nope', 'spec.containers[1].foo', 'spec.containers[1].env[0].bar', 'top']);
    expect(object).toEqual(
      pod({
        spec: {
          containers: [
            { name: 'a', resources: {} },
            { name: 'b', env: [{ name: 'x' }], resources: {} },
          ],
        },
        status: {},
      }),
    );
  });

  test('writes values as Kubernetes writes them', () => {
    const object = pod({
      metadata: {
        name: 'p',
        labels: {},
        finalizers: [],
        creationTimestamp: null,
        deletionTimestamp: '2026-01-02T04:04:05.9+01:00',
      },
      spec: {
        hostNetwork: false,
        nodeName: '',
        activeDeadlineSeconds: 0,
        containers: [{ name: 'a', command: [], resources: { limits: { cpu: 0.5, memory: '1024Mi' } } }],
      },
    });
    builtInSchema('core.v1.Pod').admit(object);
    expect(object).toEqual(
      pod({
        metadata: { name: 'p', deletionTimestamp: '2026-01-02T03:04:05Z' },
        spec: {
          activeDeadlineSeconds: 0,
          containers: [{ name: 'a', resources: { limits: { cpu: '500m', memory: '1Gi' } } }],
        },
        status: {},
      }),
    );
  });

  test.each([
    [
      { spec: { containers: [{ name: 1 }] } },
      'json: cannot unmarshal number into Go struct field Container.spec.containers.name of type string',
    ],
    [
      { spec: { containers: {} } },
      'json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container',
    ],
    [{ spec: [] }, 'json: cannot unmarshal array into Go struct field Pod.spec of type v1.PodSpec'],
    [
      { spec: { priority: 1.5 } },
      'json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.priority of type int32',
    ],
    [
      { spec: { priority: 2 ** 31 } },
      'json: cannot unmarshal number 2147483648 into Go struct field PodSpec.spec.priority of type int32',
    ],
    [
      { spec: { hostNetwork: 'yes' } },
      'json: cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of type bool',
    ],
    [
      { metadata: { labels: { a: 1 } } },
      'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
    ],
    [{ metadata: 'x' }, 'json: cannot unmarshal string into Go struct field Pod.metadata of type v1.ObjectMeta'],
    [
      { metadata: { creationTimestamp: 'soon' } },
      'parsing time "soon" as "2006-01-02T15:04:05Z07:00": cannot parse "soon" as "2006"',
    ],
    [
      { spec: { containers: [{ resources: { limits: { cpu: 'one' } } }] } },
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
  ])('refuses %j', (change, message) => {
    const refusal = `Pod in version "v1" cannot be handled as a Pod: ${message}`;
    expect(() => builtInSchema('core.v1.Pod').admit(pod(change))).toThrow(
      expect.objectContaining({ message: refusal, code: 400 }),
    );
  });

  test('any object: what was admitted is admitted again without a change', () => {
    const json = fc.object({
      key: fc.constantFrom('spec', 'metadata', 'status', 'containers', 'name', 'labels', 'env', 'x'),
      maxDepth: 5,
    });
    fc.assert(
      fc.property(json, (change) => {
        const object = pod(change);
        try {
          builtInSchema('core.v1.Pod').admit(object);
        } catch (error) {
          expect(error).toBeInstanceOf(StatusError);
          return;
        }
        const again = structuredClone(object);
        expect(builtInSchema('core.v1.Pod').admit(again).unknown).toEqual([]);
        expect(again).toEqual(object);
      }),
    );
  });
});

describe('builtInSchema().decodeProtobuf()', () => {
  test.each(known)('reads %s as its JSON says', (message, object) => {
    const schema = builtInSchema(message);
    const expected = structuredClone(object);
    if (message === 'meta.v1.DeleteOptions') delete (expected as Partial<KubeObject>).metadata;
    const read = schema.decodeProtobuf?.(encodeEnvelope(message, object)) as Partial<KubeObject>;
    if (message === 'meta.v1.DeleteOptions') delete read.metadata;
    expect(read).toEqual(expected);
  });

  const deployment = known[0]?.[1] as KubeObject;
  const body = encodeEnvelope('apps.v1.Deployment', deployment);
  const decode = builtInSchema('apps.v1.Deployment').decodeProtobuf as (body: Uint8Array) => KubeObject;
  const onlyStatusErrors = (bytes: Uint8Array) => {
    try {
      decode(bytes);
    } catch (error) {
      expect(error).toBeInstanceOf(StatusError);
      expect((error as StatusError).code).toBe(400);
    }
  };

  test('refuses bytes of another message', () => {
    const other = encodeEnvelope('core.v1.ConfigMap', { apiVersion: 'v1', kind: 'ConfigMap', metadata: {} });
    expect(() => decode(other)).toThrow('ConfigMap in version "v1" cannot be handled as a Deployment');
  });

  test('any bytes: an object or a BadRequest', () => {
    const framed = fc.uint8Array({ maxLength: 400 }).map((raw) => new Uint8Array([0x6b, 0x38, 0x73, 0, ...raw]));
    fc.assert(fc.property(fc.oneof(fc.uint8Array(), framed), onlyStatusErrors));
  });

  test('any damage to a body: an object or a BadRequest', () => {
    const damage = fc.array(fc.tuple(fc.nat(body.length - 1), fc.integer({ min: 0, max: 255 })), { maxLength: 8 });
    fc.assert(
      fc.property(damage, fc.nat(body.length), (changes, length) => {
        const damaged = Uint8Array.from(body);
        for (const [at, byte] of changes) damaged[at] = byte;
        onlyStatusErrors(damaged.subarray(0, length));
      }),
      { numRuns: 500 },
    );
  });

  test('lengths that lie are refused in no time', async () => {
    // Field 28 of a schema, `not`, over and over, each time with more bytes than there are.
    const lie = new Uint8Array([0xe2, 0x01, 0xff, 0xff, 0xff, 0x7f]);
    const head = new Uint8Array([0x6b, 0x38, 0x73, 0, 0x12, 0xff, 0xff, 0xff, 0x01]);
    const body = Buffer.concat([head, ...Array(500_000).fill(lie)]);
    const took = await cpuMsOf(() => expect(() => decode(body)).toThrow('unexpected EOF'));
    expect(took).toBeLessThan(2_000);
  });

  test('schemas nested without end are refused', () => {
    let inner: Uint8Array = new Uint8Array();
    for (let depth = 0; depth < 2_000; depth++)
      inner = Buffer.concat([new Uint8Array([0xe2, 0x01]), varint(inner.length), inner]);
    const field = (number: number, bytes: Uint8Array) =>
      Buffer.concat([new Uint8Array([(number << 3) | 2]), varint(bytes.length), bytes]);
    const crd = field(2, field(7, field(4, field(1, inner))));
    const body = Buffer.concat([new Uint8Array([0x6b, 0x38, 0x73, 0]), field(2, crd)]);
    const read = builtInSchema('apiextensions.v1.CustomResourceDefinition').decodeProtobuf;
    expect(() => read?.(body)).toThrow('exceeded max depth');
  });
});

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return new Uint8Array([...bytes, rest]);
}

describe('builtInSchema().root', () => {
  test('knows how the fields of a pod template merge', () => {
    const spec = builtInSchema('apps.v1.Deployment').root.field('spec')?.field('template')?.field('spec');
    expect(spec?.field('containers')).toMatchObject({ type: 'list', patchStrategy: ['merge'], patchMergeKey: 'name' });
    expect(spec?.field('volumes')?.patchStrategy).toEqual(['merge', 'retainKeys']);
    expect(spec?.field('volumes')?.items?.field('configMap')?.type).toBe('object');
    expect(spec?.field('containers')?.items?.field('ports')?.listMapKeys).toEqual(['containerPort', 'protocol']);
    expect(spec?.field('nodeSelector')).toMatchObject({ type: 'map', mapType: 'atomic' });
    expect(spec?.field('nope')).toBeUndefined();
  });
});

describe('builtInSchema().openapi()', () => {
  test.each(Object.keys(shippedTable().head.kinds))('%s: every reference leads somewhere', (message) => {
    const { name, definitions } = builtInSchema(message).openapi();
    expect(Object.keys(definitions)[0]).toBe(name);
    const references = [...JSON.stringify(definitions).matchAll(/"#\/components\/schemas\/([^"]+)"/g)];
    for (const [, reference] of references) expect(definitions).toHaveProperty([reference as string]);
  });
});

// Kubernetes decodes with a newer decoder from 1.35 on.
test.each([
  [{ spec: { volumes: [{ nfs: 1 }] } }, 'Volume.spec.volumes.VolumeSource.nfs of type v1.NFSVolumeSource'],
  [
    { spec: { containers: [{ livenessProbe: { exec: [] } }] } },
    'Probe.spec.containers.livenessProbe.ProbeHandler.exec of type v1.ExecAction',
  ],
  [
    { spec: { containers: [{ livenessProbe: { httpGet: { path: {} } } }] } },
    'HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.path of type string',
  ],
  [{ spec: { overhead: 1 } }, 'PodSpec.spec.overhead of type v1.ResourceList'],
])('%j is refused below the names of embedded structs', (object, where) => {
  const pod = () => ({ apiVersion: 'v1', kind: 'Pod', metadata: {}, ...structuredClone(object) });
  const why = (minor: number) => {
    try {
      builtInSchema('core.v1.Pod', minor).admit(pod());
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(why(37)).toContain(`into Go struct field ${where}`);
  expect(why(34)).toContain(`into Go struct field ${where.replace(/\.(?:VolumeSource|ProbeHandler)\b/, '')}`);
});
