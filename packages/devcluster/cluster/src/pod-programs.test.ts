import { Events, silentLog } from '@slipway/kube';
import { configMaps } from '@slipway/kube-objects/kinds/api/core';
import { jobs } from '@slipway/kube-objects/kinds/api/jobs';
import { type Pod, type PodSpec, pods } from '@slipway/kube-objects/kinds/api/pods';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Cluster } from './cluster.js';
import { scaledClock } from './scaled-clock.js';
import { startCluster } from './start-cluster.js';

const namespace = 'default';
let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ nodes: 1, log: silentLog, clock: scaledClock(10) });
  await cluster.ready();
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace }, data: { a: 'A' } };
  await cluster.kube().resource(configMaps).create(settings);
}, 30_000);
afterAll(() => cluster?.stop());

const sh = (script: string) => ({ command: ['sh', '-c', script] });
const main = (fields: object) => ({ name: 'main', image: 'busybox', ...fields });

async function create(name: string, spec: Partial<PodSpec>, annotations: Record<string, string> = {}): Promise<void> {
  await cluster
    .kube()
    .resource(pods)
    .create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace, annotations },
      spec: { restartPolicy: 'Never', ...spec },
    } as Pod);
}

async function seen(name: string, ends: (pod: Pod) => boolean): Promise<Pod> {
  return await vi.waitFor(
    async () => {
      const pod = await cluster.kube().resource(pods).get({ namespace, name });
      expect(ends(pod), JSON.stringify(pod.status)).toBe(true);
      return pod;
    },
    { timeout: 15_000, interval: 50 },
  );
}

async function logOf(name: string, query = ''): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/pods/${name}/log${query}`;
  const { body } = await cluster.kube().transport.request({ method: 'GET', path });
  return String(body);
}

const isFinished = ({ status }: Pod) => status?.phase === 'Succeeded' || status?.phase === 'Failed';

describe('a container does what its command says', () => {
  // what it runs | phase | exit code | log | what its status says
  const cases: [string, object, string, number, string, string | undefined][] = [
    ['true', { command: ['true'] }, 'Succeeded', 0, '', undefined],
    ['false', { command: ['/bin/false'] }, 'Failed', 1, '', undefined],
    ['sleep', { command: ['sleep', '2'] }, 'Succeeded', 0, '', undefined],
    ['echo', { command: ['echo', 'one', 'two'] }, 'Succeeded', 0, 'one two\n', undefined],
    ['script', sh('echo a; sleep 1; echo b >&2; exit 7'), 'Failed', 7, 'a\nb\n', undefined],
    ['args', { args: ['sh', '-c', 'echo -n $0 $1', 'x', 'y'] }, 'Succeeded', 0, 'x y\n', undefined],
    [
      'variables',
      { command: ['echo'], args: ['$(A)', '$$(A)', '$(NONE)'], env: [{ name: 'A', value: 'set' }] },
      'Succeeded',
      0,
      'set $(A) $(NONE)\n',
      undefined,
    ],
    ['message', sh('echo -n DONE > /dev/termination-log'), 'Succeeded', 0, '', 'DONE'],
    ['own-path', { ...sh('echo -n DONE > /tmp/m'), terminationMessagePath: '/tmp/m' }, 'Succeeded', 0, '', 'DONE'],
    [
      'from-log',
      { ...sh('echo LAST; exit 1'), terminationMessagePolicy: 'FallbackToLogsOnError' },
      'Failed',
      1,
      'LAST\n',
      'LAST\n',
    ],
    [
      'from-cut-log',
      { ...sh('echo ONE; printf TWO; exit 1'), terminationMessagePolicy: 'FallbackToLogsOnError' },
      'Failed',
      1,
      'ONE\nTWO\n',
      'ONE\nTWO',
    ],
    ['user', { command: ['id', '-u'], securityContext: { runAsUser: 1001 } }, 'Succeeded', 0, '1001\n', undefined],
  ];
  test.each(cases)('%s', async (name, fields, phase, exitCode, log, message) => {
    await create(name, { containers: [main(fields)] });
    const { status } = await seen(name, isFinished);
    expect(status?.phase).toBe(phase);
    expect(status?.containerStatuses?.[0]?.state.terminated).toMatchObject({ exitCode, ...(message && { message }) });
    expect(await logOf(name)).toBe(log);
  });
});

const volumes = [
  { name: 'settings', configMap: { name: 'settings', defaultMode: 0o400, items: [{ key: 'a', path: 'x/a' }] } },
  { name: 'pod', downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' }, mode: 0o440 }] } },
  { name: 'memory', emptyDir: { medium: 'Memory' } },
];
const volumeMounts = [
  ...volumes.map(({ name }) => ({ name, mountPath: `/mnt/${name}` })),
  { name: 'memory', mountPath: '/mnt/sub', subPathExpr: '$(FOLDER)' },
];

// arguments of the image for tests | what it writes
test.each([
  ['entrypoint-tester --one two', '[/agnhost entrypoint-tester --one two]\n'],
  ['mounttest --file_content=/mnt/settings/x/a', 'content of file "/mnt/settings/x/a": A\n'],
  ['etc-hosts', expect.stringContaining('10.1.2.3\tdb\tdb.example\n')],
  ['mounttest --file_content=/mnt/sub/f', 'content of file "/mnt/sub/f": kept\n\n'],
  ['mounttest --file_mode=/mnt/settings/x/a', 'mode of file "/mnt/settings/x/a": -r--------\n'],
  ['mounttest --file_mode=/mnt/pod/name', 'mode of file "/mnt/pod/name": -r--r-----\n'],
  [
    'mounttest --fs_type=/mnt/memory --new_file_0660=/mnt/memory/f --file_perm=/mnt/memory/f',
    'mount type of "/mnt/memory": tmpfs\ncontent of file "/mnt/memory/f": mount-tester new file\n\nperms of file "/mnt/memory/f": -rw-rw----\n',
  ],
  ['mounttest --file_mode=/mnt/memory', 'mode of file "/mnt/memory": drwxrwxrwx\n'],
  [
    'logs-generator --log-lines-total 2 --run-duration 1s',
    expect.stringMatching(/^I0101 .* 0 GET [^\n]*\nI0101 .* 1 POST [^\n]*\n$/),
  ],
])('agnhost %s', async (args, log) => {
  const name = `agnhost-${args
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .slice(0, 45)
    .toLowerCase()}${args.length}`;
  const env = [{ name: 'FOLDER', value: 'web' }];
  const spec = {
    hostAliases: [{ ip: '10.1.2.3', hostnames: ['db', 'db.example'] }],
    initContainers: [
      {
        ...main(sh('mkdir -p /all/web; echo kept > /all/web/f')),
        name: 'init',
        volumeMounts: [{ name: 'memory', mountPath: '/all' }],
      },
    ],
    volumes,
    containers: [
      main({ image: 'registry.k8s.io/e2e-test-images/agnhost:2.59', args: args.split(' '), volumeMounts, env }),
    ],
  };
  await create(name, spec as never);
  expect((await seen(name, isFinished)).status?.phase).toBe('Succeeded');
  expect(await logOf(name)).toEqual(log);
});

test('the image for tests pauses when it is told nothing', async () => {
  await create('paused', { containers: [main({ image: 'registry.k8s.io/e2e-test-images/agnhost:2.59' })] });
  await seen('paused', (pod) => pod.status?.phase === 'Running');
  await vi.waitFor(async () => expect(await logOf('paused')).toBe('Paused\n'));
});

test('variables have what a container requests, in units of a divisor and rounded up, or what its node has', async () => {
  const variable = (name: string, resource: string, divisor: string) => ({
    name,
    valueFrom: { resourceFieldRef: { resource, divisor } },
  });
  const env = [
    variable('A', 'limits.cpu', '1'),
    variable('B', 'limits.cpu', '1m'),
    variable('C', 'requests.memory', '1Mi'),
    variable('D', 'limits.memory', '1Gi'),
  ];
  const resources = { limits: { cpu: '1250m' }, requests: { memory: '3Mi' } };
  await create('resources', { containers: [main({ ...sh('echo $A $B $C $D'), env, resources })] });
  await seen('resources', isFinished);
  expect(await logOf('resources')).toBe('2 1250 3 8\n');
});

test('an image whose program is a shell ends at once without a command, as a shell without input does', async () => {
  await create('shell', { containers: [main({})] });
  const { status } = await seen('shell', isFinished);
  expect([status?.phase, await logOf('shell')]).toEqual(['Succeeded', '']);
});

test('a program sees what changes in its volumes', async () => {
  const script = 'until grep -q NEW /mnt/settings/x/a; do sleep 1; done; cat /mnt/settings/x/a';
  const env = [{ name: 'FOLDER', value: 'web' }];
  await create('follows', { volumes, containers: [main({ ...sh(script), volumeMounts, env })] } as never);
  await seen('follows', (pod) => pod.status?.phase === 'Running');
  await cluster
    .kube()
    .resource(configMaps)
    .merge({ namespace, name: 'settings' }, { data: { a: 'NEW' } });
  await seen('follows', isFinished);
  expect(await logOf('follows')).toBe('NEW\n');
});

test.each([
  ['a program that is not simulated', sh('/srv/app --serve')],
  ['a script that starts one', sh('set -e; echo begin; exec java -jar app.jar')],
  ['a file that only its image has', sh('cat /srv/config.yaml && sleep 1')],
  ['a shell that is not simulated', sh('cat <<END\nx\nEND')],
  ['no command', { image: 'nginx' }],
])('a container runs on with %s', async (what, fields) => {
  const name = what.replaceAll(' ', '-');
  const init = 'command' in fields ? { initContainers: [{ ...main(fields), name: 'init' }] } : {};
  await create(name, { restartPolicy: 'Always', ...init, containers: [main(fields)] });
  const { status } = await seen(name, (pod) => pod.status?.phase === 'Running');
  expect(status?.containerStatuses?.[0]).toMatchObject({ ready: true, restartCount: 0 });
});

test('a container that its probe ends runs its preStop hook before', async () => {
  await create('stopping', {
    restartPolicy: 'Always',
    volumes: [{ name: 'data', emptyDir: {} }],
    containers: [
      main({
        ...sh('cat /data/left || echo first; sleep 600'),
        volumeMounts: [{ name: 'data', mountPath: '/data' }],
        livenessProbe: { exec: { command: ['false'] }, periodSeconds: 1, failureThreshold: 1, initialDelaySeconds: 2 },
        lifecycle: { preStop: { exec: sh('echo stopped > /data/left; exit 1') } },
      }),
    ],
  } as never);
  await seen('stopping', ({ status }) => (status?.containerStatuses?.[0]?.restartCount ?? 0) > 0);
  await vi.waitFor(async () => expect(await logOf('stopping')).toBe('stopped\n'), { timeout: 5_000 });
  const { items } = await cluster.kube().resource(Events).list({ namespace });
  const told = items.filter(({ involvedObject }) => involvedObject.name === 'stopping');
  expect(told.map(({ reason }) => reason)).toContain('FailedPreStopHook');
});

test('containers wait for the startup probe of a sidecar', async () => {
  const beside = {
    ...main(sh('sleep 5; touch /data/up; sleep 600')),
    name: 'beside',
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
    restartPolicy: 'Always',
    startupProbe: { exec: { command: ['cat', '/data/up'] }, periodSeconds: 1, failureThreshold: 30 },
  };
  const volumes = [{ name: 'data', emptyDir: {} }];
  const lifecycle = { postStart: { exec: sh('echo hooked > /data/hooked') } };
  const { volumeMounts } = beside;
  const behind = main({ ...sh('until test -e /data/hooked; do sleep 1; done; echo up'), volumeMounts, lifecycle });
  await create('behind', { volumes, initContainers: [beside], containers: [behind] } as never);
  const isUp = ({ status }: Pod) => status?.initContainerStatuses?.[0]?.state.running !== undefined;
  const { status } = await seen('behind', isUp);
  expect(status?.containerStatuses?.[0]?.state).toEqual({ waiting: { reason: 'PodInitializing' } });
  await seen('behind', isFinished);
  expect(await logOf('behind', '?container=main')).toBe('up\n');
});

test('a container whose mounts are wrong does not run until they are right, and others do', async () => {
  const env = [{ name: 'FOLDER', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['folder']" } } }];
  const volumeMounts = [{ name: 'data', mountPath: '/data', subPathExpr: '$(FOLDER)' }];
  await create('mounts', {
    volumes: [{ name: 'data', emptyDir: {} }],
    containers: [main({ ...sh('echo mounted'), env, volumeMounts }), { ...main(sh('sleep 600')), name: 'other' }],
  } as never);
  const status = ({ status: { containerStatuses = [] } = {} }: Pod) => containerStatuses.map(({ state }) => state);
  const waits = { reason: 'CreateContainerConfigError', message: 'missing value for FOLDER' };
  const pod = await seen('mounts', (each) => status(each)[1]?.running !== undefined);
  expect([pod.status?.phase, status(pod)[0]?.waiting]).toEqual(['Pending', waits]);
  const { items } = await cluster.kube().resource(Events).list({ namespace });
  const told = items.filter(({ involvedObject }) => involvedObject.name === 'mounts');
  expect(told.map(({ reason, message }) => `${reason}: ${message}`)).toContain(
    'Failed: Error: missing value for FOLDER',
  );
  await cluster
    .kube()
    .resource(pods)
    .merge({ namespace, name: 'mounts' }, { metadata: { annotations: { folder: 'web' } } });
  await seen('mounts', (each) => status(each)[0]?.terminated?.exitCode === 0);
  expect(await logOf('mounts', '?container=main')).toBe('mounted\n');
});

test('containers and hooks reach pods at their addresses, and what a container asks there is in its log', async () => {
  const image = 'registry.k8s.io/e2e-test-images/agnhost:2.59';
  await create('server', { containers: [main({ image, args: ['netexec'] })] });
  const { status: { podIP } = {} } = await seen('server', ({ status }) => status?.phase === 'Running');
  const echo = (msg: string) => `http://${podIP}:8080/echo?msg=${msg}`;
  const page = (path: string) => ({ httpGet: { path, port: 8080 } });
  const dial = page(`/dial?host=${podIP}&port=8080&request=echo%3Fmsg%3Ddialled`);
  await create('client', {
    initContainers: [
      { ...main({ image, args: ['netexec'] }), name: 'beside', restartPolicy: 'Always' },
      { ...main(sh(`wget -qO- ${echo('init')}`)), name: 'init' },
    ] as never,
    containers: [
      main({
        ...sh(`curl -s ${echo('main')}; sleep 600`),
        lifecycle: { postStart: dial, preStop: { exec: sh(`curl -s ${echo('stopping')}`) } },
      }),
    ],
  });
  await seen('client', ({ status }) => status?.containerStatuses?.[0]?.ready === true);
  expect(await logOf('client', '?container=init')).toBe('init\n');
  await cluster.kube().resource(pods).delete({ namespace, name: 'client' });
  for (const message of ['init', 'main', 'dialled', 'stopping']) {
    await vi.waitFor(async () => expect(await logOf('server')).toContain(`GET /echo?msg=${message}&code=`), 10_000);
  }
});

test('init containers come one after the other, and one that fails is run again', async () => {
  const volumes = [{ name: 'data', emptyDir: {} }];
  const volumeMounts = [{ name: 'data', mountPath: '/data' }];
  await create('inits', {
    restartPolicy: 'OnFailure',
    volumes,
    initContainers: [
      { ...main(sh('[ -f /data/once ] && exit 0; touch /data/once; exit 3')), name: 'first', volumeMounts },
      { ...main(sh('sleep 1; echo second > /data/log')), name: 'second', volumeMounts },
    ] as never,
    containers: [main({ ...sh('cat /data/log'), volumeMounts })],
  });
  const { status } = await seen('inits', isFinished);
  expect(status?.initContainerStatuses?.map(({ restartCount }) => restartCount)).toEqual([1, 0]);
  expect(status?.initContainerStatuses?.[0]?.lastState?.terminated?.exitCode).toBe(3);
  expect(await logOf('inits')).toBe('second\n');
});

test('an init container that fails for good fails its pod', async () => {
  await create('fails', { initContainers: [{ ...main(sh('exit 1')), name: 'init' }] as never, containers: [main({})] });
  expect((await seen('fails', isFinished)).status?.phase).toBe('Failed');
});

test('a program that ends again and again is started again, and each run has its log', async () => {
  await create('again', { restartPolicy: 'Always', containers: [main(sh('echo run $RANDOM; sleep 1; exit 1'))] });
  const { status } = await seen('again', (pod) => (pod.status?.containerStatuses?.[0]?.restartCount ?? 0) >= 2);
  expect(status?.containerStatuses?.[0]?.lastState?.terminated?.exitCode).toBe(1);
  expect(await logOf('again', '?previous=true')).toMatch(/^run \d+\n$/);
});

test('what an annotation says comes before the command', async () => {
  await create('told', { containers: [main({ command: ['true'] })] }, { 'sim.slipway.dev/main': 'exit=9' });
  const { status } = await seen('told', isFinished);
  expect(status?.containerStatuses?.[0]?.state.terminated?.exitCode).toBe(9);
});

test('a Job whose command fails at first completes', async () => {
  const script = 'if [[ -r /data/foo ]]; then exit 0; else touch /data/foo; exit 1; fi';
  const container = { ...main(sh(script)), volumeMounts: [{ name: 'data', mountPath: '/data' }] };
  const spec = { restartPolicy: 'OnFailure', containers: [container], volumes: [{ name: 'data', emptyDir: {} }] };
  await cluster
    .kube()
    .resource(jobs)
    .create({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'once', namespace },
      spec: { completions: 2, parallelism: 2, template: { spec } },
    } as never);
  await vi.waitFor(
    async () => {
      const { status } = await cluster.kube().resource(jobs).get({ namespace, name: 'once' });
      expect(status?.succeeded).toBe(2);
    },
    { timeout: 15_000, interval: 100 },
  );
});

describe('probes run their commands in the container', () => {
  const exec = (command: string, more: object = {}) => ({
    exec: { command: ['sh', '-c', command] },
    periodSeconds: 1,
    failureThreshold: 1,
    // A second of the cluster's time is short on a busy machine.
    timeoutSeconds: 60,
    ...more,
  });
  const status = ({ status: { containerStatuses = [] } = {} }: Pod) => containerStatuses[0];

  test('one that fails ends the container, and the next run begins anew', async () => {
    const script = 'touch /tmp/healthy; sleep 5; rm /tmp/healthy; sleep 600';
    const livenessProbe = exec('cat /tmp/healthy', { initialDelaySeconds: 2 });
    await create('lives', { restartPolicy: 'Always', containers: [main({ ...sh(script), livenessProbe })] });
    const pod = await seen('lives', (each) => status(each)?.restartCount === 1 && status(each)?.ready === true);
    expect(status(pod)?.lastState?.terminated?.exitCode).toBe(137);
  });

  test('a container is ready while its probe succeeds', async () => {
    const script = 'sleep 5; touch /tmp/ready; sleep 10; rm /tmp/ready; sleep 600';
    await create('ready', { containers: [main({ ...sh(script), readinessProbe: exec('[ -f /tmp/ready ]') })] });
    await seen('ready', (pod) => pod.status?.phase === 'Running' && status(pod)?.ready === false);
    await seen('ready', (pod) => status(pod)?.ready === true);
    await seen('ready', (pod) => status(pod)?.ready === false && status(pod)?.restartCount === 0);
  });

  test('the others wait for the startup probe', async () => {
    const probes = {
      startupProbe: exec('[ -f /tmp/started ]', { failureThreshold: 60 }),
      readinessProbe: exec('true'),
      livenessProbe: exec('[ -f /tmp/started ]'),
    };
    await create('starts', { containers: [main({ ...sh('sleep 8; touch /tmp/started; sleep 600'), ...probes })] });
    await seen('starts', (pod) => pod.status?.phase === 'Running' && status(pod)?.started === false);
    const pod = await seen('starts', (each) => status(each)?.ready === true);
    expect(status(pod)).toMatchObject({ started: true, restartCount: 0 });
  });

  test('a postStart hook comes first: its container is ready after it, and ends when it fails', async () => {
    const postStart = (script: string) => ({ lifecycle: { postStart: { exec: sh(script) } } });
    const readinessProbe = exec('[ -f /tmp/set-up ]');
    const program = sh('sleep 600');
    await create('hooked', {
      containers: [main({ ...program, ...postStart('sleep 5; touch /tmp/set-up'), readinessProbe })],
    });
    await create('slow', { containers: [main({ ...program, ...postStart('sleep 5') })] });
    await create('broken', { restartPolicy: 'Never', containers: [main({ ...program, ...postStart('exit 3') })] });
    await seen('slow', (pod) => pod.status?.phase === 'Running' && status(pod)?.ready === false);
    await seen('slow', (pod) => status(pod)?.ready === true);
    await seen('hooked', (pod) => status(pod)?.ready === true);
    const broken = await seen('broken', isFinished);
    expect(status(broken)?.state.terminated?.exitCode).toBe(137);
  });

  test('the web server of the image for tests misses a file while it is away', async () => {
    const readinessProbe = { httpGet: { path: '/localhost.crt', port: 80 }, periodSeconds: 1, failureThreshold: 1 };
    const move = 'if [ -f /tmp/localhost.crt ]; then mv /tmp/localhost.crt /; else mv /localhost.crt /tmp; fi';
    const livenessProbe = exec(move, { initialDelaySeconds: 5, periodSeconds: 10 });
    const image = 'registry.k8s.io/e2e-test-images/agnhost:2.59';
    await create('serves', { containers: [main({ image, args: ['test-webserver'], readinessProbe, livenessProbe })] });
    for (const ready of [true, false, true]) await seen('serves', (pod) => status(pod)?.ready === ready);
    const { items } = await cluster.kube().resource(Events).list({ namespace });
    const told = items.filter(({ involvedObject }) => involvedObject.name === 'serves').map(({ message }) => message);
    expect(told).toContain('Readiness probe failed: HTTP probe failed with statuscode: 404');
  });

  test('the programs of a node go on when its kubelet is stopped and started', async () => {
    const script = 'i=0; while sleep 1; do i=$((i + 1)); echo $i; done';
    const livenessProbe = exec('[ ! -f /tmp/dead ]', { initialDelaySeconds: 1 });
    await create('goes-on', { restartPolicy: 'Always', containers: [main({ ...sh(script), livenessProbe })] });
    await seen('goes-on', (pod) => pod.status?.phase === 'Running');
    const [node] = cluster.nodes;
    await node?.stop();
    await node?.start();
    await vi.waitFor(async () => expect(await logOf('goes-on')).toMatch(/^1\n2\n3\n4\n/), { timeout: 5_000 });
    const pod = await seen('goes-on', (each) => each.status?.phase === 'Running');
    expect(status(pod)).toMatchObject({ restartCount: 0 });
  });

  test.each([
    ['false', false],
    ['cat /tmp/written-by-the-program', true],
    ['redis-cli ping', true],
    ['redis-cli ping | grep pong', true],
    ['redis-cli ping && false', true],
  ])('of a program that is not simulated %j is ready: %s', async (command, isReady) => {
    const name = `unknown-${command.replaceAll(/[^a-z]+/g, '-')}`;
    await create(name, { containers: [main({ command: ['/srv/app'], readinessProbe: exec(command) })] });
    await seen(name, (pod) => pod.status?.phase === 'Running' && status(pod)?.ready === isReady);
  });
});
