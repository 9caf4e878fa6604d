import fc from 'fast-check';

/** Objects as people send them, by the path they are sent to: what odd requests are made of. */
export const sentObjects: readonly (readonly [path: string, object: object])[] = [
  [
    '/api/v1/namespaces/default/pods',
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'odd', labels: { app: 'a' }, annotations: { note: 'n' }, finalizers: ['example.dev/f'] },
      spec: {
        containers: [
          {
            name: 'main',
            image: 'registry.example/app:1',
            args: ['-v'],
            ports: [{ containerPort: 80, name: 'http' }],
            env: [
              { name: 'A', value: 'b' },
              { name: 'N', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
            ],
            resources: { requests: { cpu: '100m', memory: '1Gi' }, limits: { memory: '2Gi' } },
            readinessProbe: { httpGet: { path: '/', port: 'http' }, periodSeconds: 5 },
            volumeMounts: [{ name: 'data', mountPath: '/data' }],
          },
        ],
        volumes: [{ name: 'data', emptyDir: { sizeLimit: '1Gi' } }],
        tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 }],
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }],
            },
          },
        },
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} },
        ],
      },
    },
  ],
  [
    '/apis/apps/v1/namespaces/default/statefulsets',
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'odd', ownerReferences: [{ apiVersion: 'v1', kind: 'A', name: 'a', uid: 'u' }] },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'a' }, matchExpressions: [{ key: 'app', operator: 'Exists' }] },
        serviceName: 's',
        template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'main', image: 'i' }] } },
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
      },
    },
  ],
  [
    '/apis/batch/v1/namespaces/default/cronjobs',
    {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'odd' },
      spec: {
        schedule: '*/5 * * * *',
        timeZone: 'Etc/UTC',
        jobTemplate: {
          spec: {
            completions: 3,
            completionMode: 'Indexed',
            podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] },
            template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'i' }] } },
          },
        },
      },
    },
  ],
  [
    '/api/v1/namespaces/default/services',
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'odd' },
      spec: { selector: { app: 'a' }, ports: [{ name: 'http', port: 80, targetPort: 'http', protocol: 'TCP' }] },
    },
  ],
  [
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'odd' },
      rules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], resourceNames: ['a'] }],
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
    },
  ],
  [
    '/apis/policy/v1/namespaces/default/poddisruptionbudgets',
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'odd' },
      spec: { minAvailable: '50%', selector: { matchLabels: { app: 'a' } } },
    },
  ],
  [
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'odds.example.dev' },
      spec: {
        group: 'example.dev',
        scope: 'Namespaced',
        names: { plural: 'odds', kind: 'Odd', shortNames: ['o'] },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            subresources: { status: {}, scale: { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' } },
            additionalPrinterColumns: [{ name: 'N', type: 'integer', jsonPath: '.spec.n' }],
            selectableFields: [{ jsonPath: '.spec.text' }],
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  spec: {
                    type: 'object',
                    required: ['n'],
                    properties: {
                      n: { type: 'integer', minimum: 0, default: 1 },
                      text: { type: 'string', pattern: '^[a-z]+$', maxLength: 9, enum: ['a', 'b'], default: 'a' },
                      list: {
                        type: 'array',
                        maxItems: 5,
                        items: { type: 'object', properties: { k: { type: 'string' } }, required: ['k'] },
                        'x-kubernetes-list-type': 'map',
                        'x-kubernetes-list-map-keys': ['k'],
                      },
                      any: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
                    },
                    'x-kubernetes-validations': [
                      {
                        rule: 'self.n > 0 && self.list.all(x, x.k.size() < 9)',
                        messageExpression: "self.n > 3 ? 'many' : 'few'",
                      },
                    ],
                  },
                  status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
            },
          },
        ],
      },
    },
  ],
  [
    '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'odd' },
      spec: {
        failurePolicy: 'Ignore',
        paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
        matchConstraints: {
          resourceRules: [
            { apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['a/b'] },
          ],
        },
        matchConditions: [{ name: 'c', expression: 'request.userInfo.username != "a"' }],
        variables: [{ name: 'v', expression: 'object.metadata.name' }],
        validations: [{ expression: "variables.v.startsWith('a')", messageExpression: "'no ' + variables.v" }],
      },
    },
  ],
];

/** The definition among `sentObjects` under another name, so that its objects stay what they are. */
export function evenDefinition(): object {
  const [, odd] = sentObjects.find(([path]) => path.endsWith('/customresourcedefinitions')) ?? [];
  return JSON.parse(JSON.stringify(odd).replaceAll('odds', 'evens').replaceAll('Odd', 'Even').replace('"o"', '"e"'));
}

/** An object that `evenDefinition` defines, made of everything that JSON has. */
export const customObject = {
  apiVersion: 'example.dev/v1',
  kind: 'Even',
  metadata: { name: 'odd' },
  spec: { n: 1, text: 'a', list: [{ k: 'one' }, { k: 'two' }], any: '5%' },
  status: { n: 2, anything: [1.5, null, { deep: [true] }] },
};

/** Values where something else belongs. */
const oddValue = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    0,
    -1,
    2 ** 53,
    1e300,
    true,
    [],
    {},
    [null],
    [[]],
    [{}],
    { '': '' },
    '-',
    '.',
    '/',
  ),
  fc.constantFrom<unknown>('a'.repeat(300), '9'.repeat(40), '1e999999', '\0', '$patch', '(((', '2026-13-45T99:99:99Z'),
  fc.constantFrom<unknown>('self', '1/0', 'a.b.c', '[1,2', '%', '100%', '5Ei', 'é', '\ud800', '{{', '@every 1s', '*'),
  fc.jsonValue({ maxDepth: 2 }),
);

/** An object with some of its parts gone or replaced by something odd. */
export function oddVariant<T extends object>(object: T): fc.Arbitrary<T> {
  const change = fc.tuple(fc.nat(10_000), fc.option(oddValue, { freq: 6, nil: undefined }));
  return fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => {
    const copy = structuredClone(object);
    for (const [choice, value] of changes) {
      const places = placesIn(copy);
      const place = places[choice % places.length];
      if (!place) break;
      if (value === undefined) delete place.holder[place.key];
      else place.holder[place.key] = structuredClone(value);
    }
    return copy;
  });
}

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

function placesIn(value: unknown): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  const holder = value as Record<string, unknown>;
  return Object.keys(holder).flatMap((key) => [{ holder, key }, ...placesIn(holder[key])]);
}

/** A text with pieces gone, twice or in the wrong place. */
export function oddText(text: string): fc.Arbitrary<string> {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 4 }),
    fc.constantFrom('{', '[', '"', ': ', '\n', '*a', '&a'),
  );
  const change = fc.tuple(fc.nat(text.length), fc.nat(12), piece);
  return fc
    .array(change, { minLength: 1, maxLength: 4 })
    .map((changes) =>
      changes.reduce((odd, [at, length, put]) => odd.slice(0, at) + put + odd.slice(at + length), text),
    );
}
