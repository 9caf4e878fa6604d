import { expect, test } from 'vitest';
import { needs } from '../../tools/real-parts.js';
import { eventually, type RunningCluster, up } from '../support/slipway.js';

/** kubectl that must succeed; resolves with what it printed. */
function succeeding(cluster: RunningCluster) {
  return async (args: readonly string[], stdin = ''): Promise<string> => {
    const done = await cluster.kubectl(args, { stdin });
    expect(done.code, `kubectl ${args.join(' ')}: ${done.stderr}`).toBe(0);
    return done.stdout;
  };
}

const pod = (name: string, cpu: string, more = '') => `
apiVersion: v1
kind: Pod
metadata: { name: ${name}, labels: { app: ${name} } }
spec:
  ${more}
  containers: [{ name: main, image: registry.example/app:1, resources: { requests: { cpu: "${cpu}" } } }]
`;

const priorityClass = (name: string, value: number, policy = 'PreemptLowerPriority') => `
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: { name: ${name} }
value: ${value}
preemptionPolicy: ${policy}
`;

test('a pod that fits nowhere says why, one that waits at a gate says so, and both run when they may', async (context) => {
  needs(context, 'kubectl');
  await using cluster = await up({ nodes: 2, args: ['--ephemeral'] });
  const kubectl = succeeding(cluster);
  await kubectl(['create', '-f', '-'], pod('large', '3', 'nodeSelector: { disk: ssd }'));
  await eventually('it to say why', async () =>
    (await kubectl(['describe', 'pod', 'large'])).includes(
      "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. " +
        'preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.',
    ),
  );
  await kubectl(['label', 'node', 'n2', 'disk=ssd']);
  await kubectl(['wait', '--for=condition=Ready', 'pod/large', '--timeout=20s']);
  expect(await kubectl(['get', 'pod', 'large', '-o', 'wide'])).toMatch(/ n2 /);

  await kubectl(['create', '-f', '-'], pod('gated', '100m', 'schedulingGates: [{ name: example.com/wait }]'));
  expect(await kubectl(['get', 'pod', 'gated'])).toContain('SchedulingGated');
  await kubectl(['patch', 'pod', 'gated', '--type=json', '-p', '[{"op":"remove","path":"/spec/schedulingGates"}]']);
  await kubectl(['wait', '--for=condition=Ready', 'pod/gated', '--timeout=20s']);
  expect(await kubectl(['events', '--for', 'pod/gated'])).toMatch(
    /Scheduled .*Successfully assigned default\/gated to n[12]/,
  );
});

test('an important pod takes the place of a lesser one, and a polite one waits', async (context) => {
  needs(context, 'kubectl');
  await using cluster = await up({ nodes: 1, args: ['--ephemeral'] });
  const kubectl = succeeding(cluster);
  await kubectl(['create', '-f', '-'], priorityClass('high', 1000));
  await kubectl(['create', '-f', '-'], priorityClass('polite', 1000, 'Never'));
  await kubectl(['create', '-f', '-'], pod('low', '3'));
  await kubectl(['wait', '--for=condition=Ready', 'pod/low', '--timeout=20s']);

  await kubectl(['create', '-f', '-'], pod('waits', '3', 'priorityClassName: polite'));
  await eventually('the polite one to say that it waits', async () =>
    (await kubectl(['describe', 'pod', 'waits'])).includes(
      '0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.',
    ),
  );
  await kubectl(['delete', 'pod', 'waits']);
  await kubectl(['create', '-f', '-'], pod('urgent', '3', 'priorityClassName: high'));
  await kubectl(['wait', '--for=condition=Ready', 'pod/urgent', '--timeout=30s']);
  const gone = await cluster.kubectl(['get', 'pod', 'low']);
  expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('pods "low" not found')]);
  expect(await kubectl(['events'])).toMatch(/Preempted +Pod\/low +Preempted by pod \S+ on node n1/);

  const balloon = await cluster.kubectl(['create', '-f', '-'], {
    stdin: pod('balloon', '1', 'priorityClassName: system-balloon'),
  });
  expect([balloon.code, balloon.stderr]).toEqual([
    1,
    expect.stringContaining('only permitted in the kube-system namespace'),
  ]);
});

test('pods keep apart or spread as they ask', async (context) => {
  needs(context, 'kubectl');
  await using cluster = await up({ nodes: 3, args: ['--ephemeral'] });
  const kubectl = succeeding(cluster);
  const deployment = (name: string, rule: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name} }
spec:
  replicas: 4
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      ${rule.replaceAll('APP', `labelSelector: { matchLabels: { app: ${name} } }`)}
      containers: [{ name: main, image: registry.example/app:1 }]
`;
  const hostname = 'topologyKey: kubernetes.io/hostname';
  const alone = `affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ ${hostname}, APP }] } }`;
  await kubectl(['apply', '-f', '-'], deployment('alone', alone));
  await eventually('the fourth to find no node', async () =>
    (await kubectl(['events'])).includes("0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules."),
  );
  const nodesOf = async (app: string) =>
    (await kubectl(['get', 'pods', '-l', `app=${app}`, '-o', 'jsonpath={.items[*].spec.nodeName}']))
      .split(' ')
      .filter(Boolean)
      .sort();
  expect(await nodesOf('alone')).toEqual(['n1', 'n2', 'n3']);

  const even = `topologySpreadConstraints: [{ maxSkew: 1, whenUnsatisfiable: DoNotSchedule, ${hostname}, APP }]`;
  await kubectl(['apply', '-f', '-'], deployment('even', even));
  await kubectl(['rollout', 'status', 'deployment/even', '--timeout=30s']);
  expect(new Set(await nodesOf('even'))).toEqual(new Set(['n1', 'n2', 'n3']));

  await kubectl(['set', 'image', 'deployment/even', 'main=registry.example/app:2']);
  await kubectl(['rollout', 'status', 'deployment/even', '--timeout=30s']);
  await kubectl(['rollout', 'undo', 'deployment/even']);
  await kubectl(['rollout', 'status', 'deployment/even', '--timeout=30s']);
  expect(await kubectl(['get', 'deployment', 'even', '-o', 'jsonpath={..image}'])).toBe('registry.example/app:1');
});

test('a CronJob starts jobs, a job with indexes does each once, and a claim has its volume', async (context) => {
  needs(context, 'kubectl');
  await using cluster = await up({ nodes: 1, args: ['--ephemeral'] });
  const kubectl = succeeding(cluster);
  await kubectl(['create', 'cronjob', 'tick', '--image=registry.example/work:1', '--schedule=*/5 * * * *']);
  await kubectl(['create', 'job', 'by-hand', '--from=cronjob/tick']);
  expect(await kubectl(['get', 'cronjob', 'tick'])).toMatch(/tick +\*\/5 \* \* \* \* +<none> +False +\d +<none>/);
  await kubectl(['create', 'cronjob', 'soon', '--image=registry.example/work:1', '--schedule=@every 1s']);
  await eventually('it to start a job', async () =>
    (await kubectl(['get', 'jobs', '-o', 'name'])).includes('job.batch/soon-'),
  );
  expect(await kubectl(['events', '--for', 'cronjob/soon'])).toContain('Created job soon-');

  await kubectl(
    ['create', '-f', '-'],
    `
apiVersion: batch/v1
kind: Job
metadata: { name: parts }
spec:
  completions: 3
  parallelism: 2
  completionMode: Indexed
  template:
    metadata: { annotations: { sim.slipway.dev/main: "exit=0,after=100ms" } }
    spec: { restartPolicy: Never, containers: [{ name: main, image: registry.example/work:1 }] }
`,
  );
  await kubectl(['wait', '--for=condition=complete', 'job/parts', '--timeout=30s']);
  expect(await kubectl(['get', 'job', 'parts', '-o', 'jsonpath={.status.completedIndexes}'])).toBe('0-2');
  expect(await kubectl(['describe', 'job', 'parts'])).toMatch(/Completed Indexes: +0-2/);

  await kubectl(
    ['create', '-f', '-'],
    `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: { name: data }
spec: { accessModes: [ReadWriteOnce], resources: { requests: { storage: 1Gi } } }
`,
  );
  await kubectl(['wait', '--for=jsonpath={.status.phase}=Bound', 'pvc/data', '--timeout=20s']);
  expect(await kubectl(['get', 'storageclass'])).toMatch(
    /standard \(default\) +sim\.slipway\.dev\/volumes +Delete +Immediate/,
  );
});

test('a service has endpoints, and what is applied is pruned with all kinds that kubectl looks for', async (context) => {
  needs(context, 'kubectl');
  await using cluster = await up({ nodes: 1, args: ['--ephemeral'] });
  const kubectl = succeeding(cluster);
  await kubectl(['create', 'deployment', 'web', '--image=registry.example/web:1', '--replicas=2', '--port=8080']);
  await kubectl(['expose', 'deployment', 'web', '--port=80', '--target-port=8080']);
  await kubectl(['rollout', 'status', 'deployment/web', '--timeout=30s']);
  await eventually('two endpoints', async () =>
    /web +10\.[0-9.]+:8080,10\.[0-9.]+:8080/.test(await kubectl(['get', 'endpoints', 'web'])),
  );
  expect(await kubectl(['describe', 'service', 'web'])).toMatch(/Endpoints: +10\.[0-9.]+:8080,10\.[0-9.]+:8080/);
  expect(await kubectl(['get', 'endpointslices'])).toMatch(/web-\w+ +IPv4 +8080 +10\./);

  const map = (name: string) => `
apiVersion: v1
kind: ConfigMap
metadata: { name: ${name}, labels: { set: one } }
---`;
  await kubectl(['apply', '-f', '-'], `${map('keep')}${map('drop')}`);
  expect(await kubectl(['apply', '--prune', '-l', 'set=one', '-f', '-'], map('keep'))).toContain(
    'configmap/drop pruned',
  );
});
