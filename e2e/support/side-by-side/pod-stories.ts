import fc from 'fast-check';

/** The image of pods, by a name that both sides know it by. */
export const storyImage = 'registry.k8s.io/story:1';
/** The programs in it, which are simulated as well. */
export const storyPrograms = ['cat', 'echo', 'false', 'sh', 'sleep', 'touch', 'true'];

/** The objects that pods may refer to. */
export const storyObjects = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { level: 'high', mode: 'fast' } },
  { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, stringData: { user: 'ann' } },
];

/** One pod, and what is done to it when it has come to rest. */
export interface PodStory {
  readonly pod: { readonly metadata: object; readonly spec: object };
  /** Words of kubectl, with `POD` for the name of the pod. */
  readonly acts: readonly (readonly string[])[];
}

const end = '/dev/termination-log';
const sh = (script: string) => ['sh', '-c', script];
const code = fc.constantFrom(0, 1, 3, 42);
const seconds = fc.constantFrom(0, 1, 2);

/** Commands that end soon. */
const ending = fc.oneof(
  fc.constantFrom(['true'], ['false'], ['sleep', '1'], ['echo', 'hello']),
  fc.tuple(seconds, code).map(([wait, exit]) => sh(`echo begins; sleep ${wait}; exit ${exit}`)),
  code.map((exit) => sh(`echo "$LEVEL $SELF" > ${end}; exit ${exit}`)),
  code.map((exit) => sh(`cat /v/level > ${end} || echo nothing > ${end}; exit ${exit}`)),
);
const running = fc.constantFrom(['sleep', '600'], sh('while true; do sleep 1; done'), sh('touch /ready; sleep 600'));

const settings = (key: string, more: object = {}) => ({ configMapKeyRef: { name: 'settings', key, ...more } });
const variable = fc.constantFrom<object>(
  { name: 'LEVEL', value: 'plain' },
  { name: 'LEVEL', valueFrom: settings('level') },
  { name: 'LEVEL', valueFrom: settings('level', { optional: true }) },
  { name: 'LEVEL', valueFrom: settings('none') },
  { name: 'LEVEL', valueFrom: settings('none', { optional: true }) },
  { name: 'LEVEL', valueFrom: { configMapKeyRef: { name: 'absent', key: 'level' } } },
  { name: 'LEVEL', valueFrom: { secretKeyRef: { name: 'keys', key: 'user' } } },
  { name: 'LEVEL', valueFrom: { secretKeyRef: { name: 'keys', key: 'none' } } },
  { name: 'LEVEL', valueFrom: { secretKeyRef: { name: 'absent', key: 'user', optional: true } } },
  { name: 'SELF', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  { name: 'SELF', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
  { name: 'SELF', valueFrom: { resourceFieldRef: { resource: 'requests.memory', divisor: '1Mi' } } },
);
const manyVariables = fc.constantFrom<object>(
  { configMapRef: { name: 'settings' }, prefix: 'S_' },
  { configMapRef: { name: 'absent' } },
  { secretRef: { name: 'absent' } },
  { secretRef: { name: 'absent', optional: true } },
);

const volume = fc.constantFrom<object>(
  { emptyDir: {} },
  { configMap: { name: 'settings' } },
  { configMap: { name: 'settings', items: [{ key: 'mode', path: 'level' }] } },
  { configMap: { name: 'settings', items: [{ key: 'none', path: 'level' }], optional: true } },
  { configMap: { name: 'absent', optional: true } },
  { secret: { secretName: 'keys' } },
  { downwardAPI: { items: [{ path: 'level', fieldRef: { fieldPath: 'metadata.name' } }] } },
  { projected: { sources: [{ configMap: { name: 'settings' } }, { secret: { name: 'keys' } }] } },
);
/** A kubelet that waits for a volume does not see how long a pod may run. */
const missingVolume = fc.constantFrom<object>(
  { configMap: { name: 'settings', items: [{ key: 'none', path: 'level' }] } },
  { configMap: { name: 'absent' } },
  { secret: { secretName: 'absent' } },
  { secret: { secretName: 'keys', items: [{ key: 'none', path: 'level' }] } },
  { projected: { sources: [{ configMap: { name: 'absent' } }, { secret: { name: 'absent' } }] } },
);
const mount = fc.constantFrom<object>(
  { mountPath: '/v' },
  { mountPath: '/v', readOnly: true },
  { mountPath: '/v/level', subPath: 'level' },
  { mountPath: '/v', subPathExpr: '$(LEVEL)' },
);

const probe = fc.record(
  {
    exec: fc.constantFrom(['true'], ['false'], sh('echo wrong; exit 2')).map((command) => ({ command })),
    periodSeconds: fc.constantFrom(1, 2),
    failureThreshold: fc.constantFrom(1, 2),
    initialDelaySeconds: fc.constantFrom(0, 1),
  },
  { requiredKeys: ['exec', 'periodSeconds'] },
);
const hook = fc.constantFrom<object>(
  { exec: { command: ['true'] } },
  { exec: { command: ['false'] } },
  { exec: { command: sh('echo hooked > /hooked') } },
  { sleep: { seconds: 1 } },
);
const amounts = fc.constantFrom<object>(
  {},
  { requests: { cpu: '10m' } },
  { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '32Mi' } },
  { limits: { cpu: '20m', memory: '32Mi' } },
);
const rules = fc.constantFrom<object[]>(
  [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
  [{ action: 'Restart', exitCodes: { operator: 'NotIn', values: [0, 3] } }],
);
const image = fc.oneof(
  { weight: 12, arbitrary: fc.constant({ image: storyImage }) },
  { weight: 1, arbitrary: fc.constant({ image: 'registry.k8s.io/does-not-exist:1' }) },
  { weight: 1, arbitrary: fc.constant({ image: 'registry.k8s.io/does-not-exist:1', imagePullPolicy: 'Never' }) },
  { weight: 1, arbitrary: fc.constant({ image: storyImage, imagePullPolicy: 'Always' }) },
);
const present = { image: storyImage, imagePullPolicy: 'IfNotPresent' };
/** Present with a chance of one in so many. */
const sometimes = <T>(every: number, arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: every - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

const common = {
  from: image,
  env: sometimes(3, fc.array(variable, { minLength: 1, maxLength: 2 })),
  envFrom: sometimes(6, fc.array(manyVariables, { minLength: 1, maxLength: 2 })),
  mount: sometimes(3, mount),
  resources: sometimes(3, amounts),
  terminationMessagePath: sometimes(8, fc.constant('/tmp/end')),
  terminationMessagePolicy: sometimes(3, fc.constant('FallbackToLogsOnError')),
};

interface DrawnContainer {
  readonly from: object;
  readonly mount: object | undefined;
  readonly command?: readonly string[];
}

/** Paths that no volume brings may be in an image, of which a simulated container knows nothing. */
function containerOf({ from, mount: mounted, command, ...fields }: DrawnContainer) {
  const readsNothing = !mounted && command?.some((word) => word.includes('/v/'));
  return {
    ...from,
    ...fields,
    ...(command && { command: readsNothing ? ['false'] : command }),
    ...(mounted && { volumeMounts: [{ name: 'v', ...mounted }] }),
  };
}

const main = fc
  .record({
    ...common,
    does: fc.oneof<fc.Arbitrary<object>[]>(
      fc.record({ command: ending }),
      fc.record({
        command: running,
        readinessProbe: sometimes(3, probe),
        livenessProbe: sometimes(4, probe),
        startupProbe: sometimes(5, probe),
        lifecycle: sometimes(4, fc.record({ postStart: sometimes(2, hook), preStop: sometimes(2, hook) })),
      }),
    ),
    restart: sometimes(
      6,
      fc.record({
        restartPolicy: fc.constantFrom('Always', 'OnFailure', 'Never'),
        restartPolicyRules: sometimes(2, rules),
      }),
    ),
  })
  .map(({ restart, does, ...fields }) => ({ ...containerOf({ ...fields, ...does }), ...restart }));
const init = fc.record({ ...common, command: ending }).map(containerOf);
const sidecar = fc
  .record({ ...common, command: running, startupProbe: sometimes(3, probe) })
  .map((fields) => ({ ...containerOf(fields), restartPolicy: 'Always' }));

const resized = JSON.stringify({ spec: { containers: [{ name: 'a', resources: { requests: { cpu: '15m' } } }] } });
const act = fc.constantFrom<readonly string[]>(
  ['label', 'pod', 'POD', 'app=other', '--overwrite'],
  ['annotate', 'pod', 'POD', 'note=1'],
  ['patch', 'pod', 'POD', '--subresource=resize', '-p', resized],
  ['delete', 'pod', 'POD', '--wait=false'],
  ['delete', 'pod', 'POD', '--wait=false', '--grace-period=1'],
);

/** Keeps a pod that was deleted, so that both sides can be compared in how it ended. */
const finalizer = 'example.com/story';

/** A pod, what it needs of its namespace, and what is done to it. */
export const podStory: fc.Arbitrary<PodStory> = fc
  .record({
    has: fc.oneof<fc.Arbitrary<{ source: object; activeDeadlineSeconds?: number }>[]>(
      fc.record({ source: volume }),
      fc.record({ source: volume }),
      fc.record({ source: missingVolume }),
      fc.record({ source: volume, activeDeadlineSeconds: fc.constant(10) }),
    ),
    mains: fc.array(main, { minLength: 1, maxLength: 2 }),
    inits: sometimes(3, fc.array(fc.oneof<fc.Arbitrary<object>[]>(init, sidecar), { minLength: 1, maxLength: 2 })),
    restartPolicy: fc.constantFrom('Always', 'OnFailure', 'Never'),
    terminationGracePeriodSeconds: fc.constantFrom(1, 2, 5),
    acts: fc.array(act, { maxLength: 2 }),
  })
  .map(({ has: { source, ...deadline }, mains, inits, acts, ...spec }) => ({
    pod: {
      metadata: { labels: { app: 'story' }, finalizers: [finalizer] },
      spec: {
        ...spec,
        // What probes have found when a pod reaches its deadline depends on the moment.
        ...(!/Probe/.test(JSON.stringify([mains, inits])) && deadline),
        dnsPolicy: 'Default',
        volumes: [{ name: 'v', ...source }],
        ...(inits && { initContainers: inits.map((each, index) => ({ name: `i${index}`, ...each })) }),
        // Containers that lack the same image ask for it in turn.
        containers: mains.map((each, index) => ({ name: 'ab'.charAt(index), ...each, ...(index > 0 && present) })),
      },
    },
    acts,
  }));
