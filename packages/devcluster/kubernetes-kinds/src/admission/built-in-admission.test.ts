import type { AdmissionReader } from '@slipway/api-server/attributes/admission';
import { type KubeObject, StatusError } from '@slipway/kube';
import { entryOf } from '@slipway/object-store/entry';
import type { Entry } from '@slipway/object-store/store';
import { expect, test } from 'vitest';
import { builtInDefinitions } from '../kinds/catalogue.js';
import { builtInHooks } from './built-in-admission.js';
import { aWrite } from './testing/a-write.js';

const stored = 'priorityclasses.scheduling.k8s.io';

/** A cluster that has these objects and admits writes as every cluster does. */
function clusterWith(objects: Readonly<Record<string, readonly KubeObject[]>> = {}) {
  const entries = (resource: string): Entry[] =>
    (objects[resource] ?? []).map((object) => entryOf(resource, object, 1));
  const reader: AdmissionReader = {
    latest: (resource, namespace, name) =>
      entries(resource).find((entry) => entry.namespace === namespace && entry.name === name),
    list: (resource) => ({ entries: entries(resource), revision: 1, remaining: 0 }),
  };
  const hooks = builtInHooks({});
  return (plural: string, given: object, old?: KubeObject): KubeObject => {
    const resource = builtInDefinitions().find((definition) => definition.plural === plural);
    if (!resource) throw new Error(`no kind ${plural}`);
    const object: KubeObject = structuredClone({
      apiVersion: '',
      kind: '',
      metadata: { name: 'it', namespace: 'a' },
      ...given,
    });
    for (const hook of hooks) hook(aWrite({ operation: old ? 'UPDATE' : 'CREATE', resource, object, old }), reader);
    return object;
  };
}

function refusalOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
  return 'admitted';
}

const priorityClass = (name: string, value: number, fields: object = {}): KubeObject => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value,
  preemptionPolicy: 'PreemptLowerPriority',
  ...fields,
});
const podOf = (spec: object = {}) => ({ spec: { containers: [], ...spec } });

test('a pod without a priority class gets 0', () => {
  expect(clusterWith()('pods', podOf()).spec).toMatchObject({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
  expect(clusterWith()('pods', podOf()).spec).not.toHaveProperty('priorityClassName');
});

test('a pod gets value and preemption policy of its class', () => {
  const admit = clusterWith({ [stored]: [priorityClass('high', 1000, { preemptionPolicy: 'Never' })] });
  expect(admit('pods', podOf({ priorityClassName: 'high' })).spec).toMatchObject({
    priority: 1000,
    preemptionPolicy: 'Never',
  });
});

test('a pod without a class gets the default one, the lowest if there are several', () => {
  const classes = [priorityClass('b', 20, { globalDefault: true }), priorityClass('a', 10, { globalDefault: true })];
  const admit = clusterWith({ [stored]: classes });
  expect(admit('pods', podOf()).spec).toMatchObject({ priorityClassName: 'a', priority: 10 });
});

test('a pod may use the classes of the system before they are created', () => {
  const { spec } = clusterWith()('pods', podOf({ priorityClassName: 'system-node-critical' }));
  expect(spec.priority).toBe(2_000_001_000);
});

test('a balloon pod lives in kube-system, where it outranks all and preempts nobody', () => {
  const pod = podOf({ priorityClassName: 'system-balloon' });
  const inSystem = { ...pod, metadata: { name: 'it', namespace: 'kube-system' } };
  const spec = { priority: 2_000_001_000, preemptionPolicy: 'Never' };
  expect(clusterWith()('pods', inSystem).spec).toMatchObject(spec);
  expect(refusalOf(() => clusterWith()('pods', pod))).toBe(
    '403 pods "it" is forbidden: pods with system-balloon priorityClass are only permitted in the kube-system namespace',
  );
});

test.each([
  [{ priorityClassName: 'nosuch' }, '403 pods "it" is forbidden: no PriorityClass with name nosuch was found'],
  [{ priorityClassName: 'toString' }, '403 pods "it" is forbidden: no PriorityClass with name toString was found'],
  [
    { priority: 5 },
    '403 pods "it" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
  ],
  [
    { preemptionPolicy: 'Never' },
    '403 pods "it" is forbidden: the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name',
  ],
])('a pod with %j is refused', (spec, refusal) => {
  expect(refusalOf(() => clusterWith()('pods', podOf(spec)))).toBe(refusal);
});

test('an update that leaves the priority out keeps it', () => {
  const admit = clusterWith();
  const old = admit('pods', podOf());
  expect(admit('pods', podOf(), old).spec).toMatchObject({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
});

test('there is one default priority class at most', () => {
  const admit = clusterWith({ [stored]: [priorityClass('a', 1, { globalDefault: true })] });
  const another = { ...priorityClass('b', 1, { globalDefault: true }) };
  expect(refusalOf(() => admit('priorityclasses', another))).toBe(
    '403 priorityclasses.scheduling.k8s.io "b" is forbidden: PriorityClass a is already marked as default. Only one default can exist',
  );
  expect(refusalOf(() => admit('priorityclasses', { ...another, metadata: { name: 'a' } }))).toBe('admitted');
});

test('a pod runs as the default service account, or as one that is there', () => {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot', namespace: 'a' } };
  const admit = clusterWith({ serviceaccounts: [account] });
  const names = (name: string) => ({ serviceAccountName: name, serviceAccount: name });
  expect(admit('pods', podOf()).spec).toMatchObject(names('default'));
  expect(admit('pods', podOf({ serviceAccountName: 'robot' })).spec).toMatchObject(names('robot'));
  expect(refusalOf(() => admit('pods', podOf({ serviceAccountName: 'nosuch' })))).toBe(
    '403 pods "it" is forbidden: error looking up service account a/nosuch: serviceaccount "nosuch" not found',
  );
});

test('a pod tolerates a node that is away for five minutes', () => {
  const toleration = (key: string) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 });
  const [notReady, unreachable] = [
    toleration('node.kubernetes.io/not-ready'),
    toleration('node.kubernetes.io/unreachable'),
  ];
  const admit = clusterWith();
  expect(admit('pods', podOf()).spec.tolerations).toEqual([notReady, unreachable]);
  const own = { ...notReady, tolerationSeconds: 5 };
  expect(admit('pods', podOf({ tolerations: [own] })).spec.tolerations).toEqual([own, unreachable]);
  const all = { operator: 'Exists' };
  expect(admit('pods', podOf({ tolerations: [all] })).spec.tolerations).toEqual([all]);
});

const serviceOf = (spec: object = {}) => ({
  spec: { type: 'ClusterIP', ports: [{ port: 80, protocol: 'TCP' }], ...spec },
});

test('services get an address each, also while their writes are under way', () => {
  const admit = clusterWith({ services: [{ ...admitted('taken', '10.96.1.2') }] });
  const addresses = [1, 2, 3].map((n) =>
    admit('services', { ...serviceOf(), metadata: { name: `s${n}`, namespace: 'a' } }),
  );
  expect(addresses.map(({ spec }) => spec.clusterIP)).toEqual(['10.96.1.1', '10.96.1.3', '10.96.1.4']);
  expect(addresses[0]?.spec).toMatchObject({
    clusterIPs: ['10.96.1.1'],
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
  });
});

test('a service keeps its address when an update leaves it out', () => {
  const admit = clusterWith();
  const old = admit('services', serviceOf({ type: 'NodePort' }));
  const next = admit('services', serviceOf({ type: 'NodePort' }), old);
  expect(next.spec.clusterIP).toBe(old.spec.clusterIP);
  expect(next.spec.ports[0].nodePort).toBe(old.spec.ports[0].nodePort);
});

test('headless and external services get no address', () => {
  const admit = clusterWith();
  expect(admit('services', serviceOf({ clusterIP: 'None' })).spec.clusterIPs).toEqual(['None']);
  expect(admit('services', serviceOf({ type: 'ExternalName', externalName: 'x.y' })).spec).not.toHaveProperty(
    'clusterIP',
  );
});

test('node ports are given to one service at a time, and given back', () => {
  const first = admitted('first', '10.96.0.3', 30_000);
  const admit = clusterWith({ services: [first] });
  const second = admit('services', serviceOf({ type: 'NodePort' }));
  expect(second.spec.ports[0].nodePort).toBe(30_001);
  expect(
    refusalOf(() => admit('services', serviceOf({ type: 'NodePort', ports: [{ port: 1, nodePort: 30_000 }] }))),
  ).toBe(
    '422 Service "it" is invalid: spec.ports[0].nodePort: Invalid value: 30000: provided port is already allocated',
  );
  const inner = admit('services', serviceOf({ ports: second.spec.ports }), second);
  expect(inner.spec.ports[0]).not.toHaveProperty('nodePort');
});

test('an address that another service has is refused', () => {
  const admit = clusterWith({ services: [admitted('first', '10.96.0.3')] });
  expect(refusalOf(() => admit('services', serviceOf({ clusterIP: '10.96.0.3' })))).toBe(
    '422 Service "it" is invalid: spec.clusterIPs: Invalid value: ["10.96.0.3"]: failed to allocate IP 10.96.0.3: provided IP is already allocated',
  );
});

// spec | what is wrong
const refusedServices: [object, string][] = [
  [
    { clusterIP: '192.0.2.1' },
    'spec.clusterIPs: Invalid value: ["192.0.2.1"]: failed to allocate IP 192.0.2.1: the provided network does not match the current range',
  ],
  [{ ipFamilies: ['IPv6'] }, 'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on this cluster'],
  [
    { ipFamilyPolicy: 'RequireDualStack' },
    'spec.ipFamilyPolicy: Invalid value: "RequireDualStack": this cluster is not configured for dual-stack services',
  ],
  [
    { type: 'NodePort', ports: [{ port: 1, nodePort: 80 }] },
    'spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767',
  ],
];

test.each(refusedServices)('Service %j: %s', (spec, problem) => {
  expect(refusalOf(() => clusterWith()('services', serviceOf(spec)))).toBe(`422 Service "it" is invalid: ${problem}`);
});

test('protocols of one port share the port of the nodes', () => {
  const admit = clusterWith();
  const dns = [
    { port: 53, protocol: 'TCP' },
    { port: 53, protocol: 'UDP' },
  ];
  const ports = (spec: object) => admit('services', serviceOf({ type: 'NodePort', ...spec })).spec.ports;
  expect(ports({ ports: structuredClone(dns) })).toMatchObject([{ nodePort: 30_000 }, { nodePort: 30_000 }]);
  const asked = [dns[0], { ...dns[1], nodePort: 31_053 }];
  expect(ports({ ports: asked })).toMatchObject([{ nodePort: 31_053 }, { nodePort: 31_053 }]);
});

test('a balancer that keeps traffic on its node is told of health at a port of its own', () => {
  const local = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' };
  const { spec } = clusterWith()('services', serviceOf(local));
  expect(spec).toMatchObject({ ports: [{ nodePort: 30_000 }], healthCheckNodePort: 30_001 });
});

test('a service that becomes an external one gives its address and ports back', () => {
  const admit = clusterWith();
  const old = admit('services', serviceOf());
  const external = serviceOf({ ...old.spec, type: 'ExternalName', externalName: 'x.y' });
  expect(admit('services', external, old).spec).not.toHaveProperty('clusterIPs');
  const open = admit('services', serviceOf({ type: 'NodePort' }));
  const closed = admit('services', serviceOf({ ...open.spec, type: 'ExternalName', externalName: 'x.y' }), open);
  expect([open.spec.ports[0].nodePort, closed.spec.ports[0].nodePort]).toEqual([expect.any(Number), undefined]);
  const stubborn = serviceOf({ type: 'ExternalName', externalName: 'x.y', clusterIP: '10.96.0.9' });
  expect(admit('services', stubborn).spec.clusterIPs).toEqual(['10.96.0.9']);
});

function admitted(name: string, clusterIP: string, nodePort?: number): KubeObject {
  const port = { port: 80, protocol: 'TCP', ...(nodePort && { nodePort }) };
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'a' },
    spec: { type: 'ClusterIP', clusterIP, ports: [port] },
  };
}
