import fc from 'fast-check';

/** A few nodes, and what happens on them. */
export interface SchedulingStory {
  readonly nodes: readonly StoryNode[];
  /** Local volumes, of a size of their own each, on the nodes with these numbers. */
  readonly volumes: readonly StoryVolume[];
  readonly acts: readonly SchedulingAct[];
}

interface StoryVolume {
  readonly gibibytes: number;
  readonly accessMode: string;
  readonly node: number;
}

/** A node as a kubelet would report it. */
export interface StoryNode {
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: object;
  readonly allocatable: Readonly<Record<string, string>>;
  readonly images: readonly object[];
}

/** A pod is made under the name of its number; the others are done to nodes and pods by their numbers, modulo how many there are. */
export type SchedulingAct =
  | {
      readonly kind: 'pod';
      readonly namespace: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly spec: object;
      /** What it asks for of the class of local volumes. */
      readonly claim?: Omit<StoryVolume, 'node'> | undefined;
    }
  | { readonly kind: 'delete'; readonly pod: number }
  | { readonly kind: 'cordon' | 'uncordon'; readonly node: number }
  | { readonly kind: 'taint'; readonly node: number; readonly taint: object }
  | { readonly kind: 'label'; readonly node: number; readonly zone: string };

/** Namespaces that are there, and their labels. */
export const storyNamespaces = { home: { team: 'red' }, away: { team: 'blue' } };
/** Priority classes. */
export const priorityClasses = [
  { metadata: { name: 'low' }, value: 10 },
  { metadata: { name: 'high' }, value: 1_000 },
  { metadata: { name: 'polite' }, value: 500, preemptionPolicy: 'Never' },
];

const zoneKey = 'topology.kubernetes.io/zone';
const hostKey = 'kubernetes.io/hostname';
const image = (name: string) => `registry.example/${name}:1`;
const zone = fc.constantFrom('a', 'b', 'c');
const app = fc.constantFrom('web', 'db');
const cpu = fc.constantFrom('100m', '500m', '1', '1500m', '3');
const memory = fc.constantFrom('64Mi', '300M', '1Gi', '3Gi');
const operator = fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist');

const sometimes = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const withoutNothing = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const taint = fc.record({
  key: fc.constantFrom('dedicated', 'gpu'),
  value: fc.constantFrom('x', 'y'),
  effect: fc.constantFrom('NoSchedule', 'PreferNoSchedule'),
});
const node: fc.Arbitrary<StoryNode> = fc
  .record({
    zone: sometimes(zone).map((value) => value ?? 'a'),
    hasZone: fc.integer({ min: 0, max: 5 }).map((n) => n > 0),
    disk: fc.constantFrom('ssd', 'hdd'),
    size: fc.integer({ min: 1, max: 9 }),
    taints: sometimes(fc.uniqueArray(taint, { maxLength: 2, selector: ({ key, effect }) => key + effect })),
    cpu: fc.constantFrom('2', '4', '3500m'),
    memory: fc.constantFrom('4Gi', '8Gi', '5G'),
    pods: fc.constantFrom('3', '110'),
    gpus: sometimes(fc.constantFrom('1', '2')),
    images: fc.subarray(['app', 'big']),
  })
  .map((drawn) => ({
    labels: {
      ...(drawn.hasZone && { [zoneKey]: drawn.zone }),
      disk: drawn.disk,
      size: `${drawn.size}`,
    },
    spec: withoutNothing({ taints: drawn.taints }),
    allocatable: {
      cpu: drawn.cpu,
      memory: drawn.memory,
      pods: drawn.pods,
      ...(drawn.gpus && { 'example.com/gpu': drawn.gpus }),
    },
    images: drawn.images.map((name) => ({
      names: [image(name)],
      sizeBytes: name === 'big' ? 900_000_000 : 120_000_000,
    })),
  }));

const nodeTerm = fc
  .oneof(
    fc.record({ key: fc.constant('disk'), operator, value: fc.constantFrom('ssd', 'hdd') }),
    fc.record({ key: fc.constant(zoneKey), operator, value: zone }),
    fc.record({ key: fc.constant('size'), operator: fc.constantFrom('Gt', 'Lt'), value: fc.constantFrom('3', '6') }),
  )
  .map(({ key, operator: by, value }) => ({
    matchExpressions: [{ key, operator: by, ...(!by.includes('Exist') && { values: [value] }) }],
  }));
/** Rules that must be kept, and those that count. */
const rules = (required: fc.Arbitrary<unknown>, preferred: fc.Arbitrary<unknown>) =>
  fc
    .record({
      required: sometimes(required),
      preferred: sometimes(fc.array(preferred, { minLength: 1, maxLength: 2 })),
    })
    .map((drawn) =>
      withoutNothing({
        requiredDuringSchedulingIgnoredDuringExecution: drawn.required,
        preferredDuringSchedulingIgnoredDuringExecution: drawn.preferred,
      }),
    );
const nodeAffinity = rules(
  fc.array(nodeTerm, { minLength: 1, maxLength: 2 }).map((nodeSelectorTerms) => ({ nodeSelectorTerms })),
  fc.record({ weight: fc.constantFrom(1, 20, 100), preference: nodeTerm }),
);

type Among = { readonly namespaceSelector: object } | { readonly namespaces: readonly string[] };
const everywhere: readonly Among[] = [{ namespaceSelector: {} }, { namespaces: ['away'] }];
const podTerm = (among: readonly Among[]) =>
  fc
    .record({
      topologyKey: fc.constantFrom(zoneKey, hostKey, 'disk'),
      app,
      namespaces: sometimes(fc.constantFrom(...among)),
      matchLabelKeys: sometimes(fc.constantFrom({ matchLabelKeys: ['tier'] }, { mismatchLabelKeys: ['tier'] })),
    })
    .map(({ topologyKey, app: wanted, namespaces, matchLabelKeys }) => ({
      topologyKey,
      labelSelector: { matchLabels: { app: wanted } },
      ...namespaces,
      ...matchLabelKeys,
    }));
// Kubernetes does not wake pods that wait for others by the labels of namespaces, for five minutes.
const requiredTerm = podTerm(everywhere);
const preferredTerm = podTerm([...everywhere, { namespaceSelector: { matchLabels: { team: 'blue' } } }]);
const company = rules(
  fc.array(requiredTerm, { minLength: 1, maxLength: 1 }),
  fc.record({ weight: fc.constantFrom(1, 50, 100), podAffinityTerm: preferredTerm }),
);

const spread = fc
  .record({
    topologyKey: fc.constantFrom(zoneKey, hostKey),
    maxSkew: fc.constantFrom(1, 2),
    whenUnsatisfiable: fc.constantFrom('DoNotSchedule', 'ScheduleAnyway'),
    labelSelector: app.map((value) => ({ matchLabels: { app: value } })),
    minDomains: sometimes(fc.constantFrom(2, 4)),
    nodeTaintsPolicy: sometimes(fc.constantFrom('Honor', 'Ignore')),
    nodeAffinityPolicy: sometimes(fc.constantFrom('Honor', 'Ignore')),
    matchLabelKeys: sometimes(fc.constant(['tier'])),
  })
  .map(({ minDomains, ...rest }) =>
    withoutNothing({ ...rest, minDomains: rest.whenUnsatisfiable === 'DoNotSchedule' ? minDomains : undefined }),
  );

const accessMode = fc.constantFrom('ReadWriteOnce', 'ReadWriteOnce', 'ReadWriteOncePod');
const gibibytes = fc.integer({ min: 1, max: 8 });
const toleration = fc.constantFrom(
  { key: 'dedicated', operator: 'Exists' },
  { key: 'gpu', operator: 'Equal', value: 'x', effect: 'NoSchedule' },
  { key: 'dedicated', value: 'y', effect: 'PreferNoSchedule' },
  { operator: 'Exists' },
);

const container = fc
  .record({
    requests: sometimes(fc.record({ cpu: sometimes(cpu), memory: sometimes(memory) })).map((value) => value ?? {}),
    gpu: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
    image: fc.constantFrom('app', 'big', 'other'),
    port: sometimes(
      fc.record({
        hostPort: fc.constantFrom(8080, 8081),
        protocol: fc.constantFrom('TCP', 'UDP'),
        hostIP: sometimes(fc.constant('10.0.0.1')),
      }),
    ),
  })
  .map(({ requests, gpu, image: name, port }) => ({
    image: image(name),
    resources: {
      requests: { ...withoutNothing(requests), ...(gpu && { 'example.com/gpu': '1' }) },
      ...(gpu && { limits: { 'example.com/gpu': '1' } }),
    },
    ...(port && { ports: [{ containerPort: port.hostPort, ...withoutNothing(port) }] }),
  }));

const pod: fc.Arbitrary<SchedulingAct> = fc
  .record({
    namespace: fc.constantFrom('home', 'home', 'away'),
    labels: fc
      .record({ app, tier: fc.constantFrom('one', 'two') })
      .map(({ app: value, tier }) => ({ app: value, tier })),
    containers: fc.array(container, { minLength: 1, maxLength: 2 }),
    initContainers: sometimes(fc.array(container, { minLength: 1, maxLength: 2 })),
    isSidecar: fc.boolean(),
    nodeSelector: sometimes(fc.constantFrom({ disk: 'ssd' }, { [zoneKey]: 'a' })),
    nodeAffinity: sometimes(nodeAffinity),
    podAffinity: sometimes(company),
    podAntiAffinity: sometimes(company),
    topologySpreadConstraints: sometimes(
      fc.uniqueArray(spread, {
        minLength: 1,
        maxLength: 2,
        selector: ({ topologyKey, whenUnsatisfiable }) => `${topologyKey}${whenUnsatisfiable}`,
      }),
    ),
    tolerations: sometimes(fc.array(toleration, { minLength: 1, maxLength: 2 })),
    priorityClassName: sometimes(fc.constantFrom(...priorityClasses.map(({ metadata }) => metadata.name))),
    resources: sometimes(fc.record({ cpu, memory })),
    claim: sometimes(fc.record({ gibibytes, accessMode })),
  })
  .map(
    ({
      namespace,
      labels,
      containers,
      initContainers,
      isSidecar,
      nodeAffinity: near,
      podAffinity,
      podAntiAffinity,
      claim,
      ...spec
    }): SchedulingAct => ({
      kind: 'pod',
      namespace,
      labels,
      claim,
      spec: withoutNothing({
        ...spec,
        resources: spec.resources && { requests: spec.resources },
        terminationGracePeriodSeconds: 0,
        containers: containers.map((one, index) => ({ ...one, name: `main-${index}` })),
        initContainers: initContainers?.map(({ ports: _, ...one }: { ports?: unknown }, index) => ({
          ...one,
          name: `init-${index}`,
          ...(isSidecar && index === 0 && { restartPolicy: 'Always' }),
        })),
        affinity: withoutNothing({ nodeAffinity: near, podAffinity, podAntiAffinity }),
      }),
    }),
  );

const number = fc.nat({ max: 9 });
const act: fc.Arbitrary<SchedulingAct> = fc.oneof(
  { weight: 9, arbitrary: pod },
  { weight: 1, arbitrary: number.map((which): SchedulingAct => ({ kind: 'delete', pod: which })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('cordon' as const, 'uncordon' as const), number)
      .map(([kind, which]): SchedulingAct => ({ kind, node: which })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(number, taint)
      .map(([which, added]): SchedulingAct => ({ kind: 'taint', node: which, taint: added })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(number, zone)
      .map(([which, value]): SchedulingAct => ({ kind: 'label', node: which, zone: value })),
  },
);

/** Nodes of a generated kind, and pods that are made and taken away one after the other. */
export const schedulingStory: fc.Arbitrary<SchedulingStory> = fc.record({
  nodes: fc.array(node, { minLength: 1, maxLength: 5 }),
  volumes: fc.uniqueArray(fc.record({ gibibytes, accessMode, node: number }), {
    maxLength: 4,
    selector: (volume) => volume.gibibytes,
  }),
  acts: fc.array(act, { minLength: 4, maxLength: 10 }),
});
