import { expect, test } from 'vitest';
import { services } from './service.js';
import { created, createErrors, updateErrors } from './testing/write.js';

const ports = [{ port: 80 }];
const address = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const onlyForBalancers = "may only be used when `type` is 'LoadBalancer'";

// spec | what is wrong with it
const refused: [object, ...string[]][] = [
  [
    { ports: [{ port: 80, nodePort: 30_100 }] },
    "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
  ],
  [
    {
      type: 'NodePort',
      ports: [
        { port: 53, name: 'a', nodePort: 30_053 },
        { port: 54, name: 'b', nodePort: 30_053 },
      ],
    },
    'spec.ports[1].nodePort: Duplicate value: 30053',
  ],
  [
    { ports: [{ port: 80, appProtocol: 'a/b/c' }] },
    expect.stringMatching(/^spec\.ports\[0\]\.appProtocol: Invalid value: "a\/b\/c": /),
  ],
  [
    { ports, type: 'NodePort', clusterIP: 'None' },
    'spec.clusterIPs[0]: Invalid value: "None": may not be set to \'None\' for NodePort services',
  ],
  [{ ports, clusterIPs: ['abc'] }, `spec.clusterIPs[0]: Invalid value: "abc": ${address}`],
  [
    { ports, clusterIPs: ['None', '10.96.0.9'] },
    `spec.clusterIPs: Invalid value: ["None","10.96.0.9"]: 'None' must be the first and only value`,
  ],
  [{ ports, ipFamilies: ['IPv5'] }, 'spec.ipFamilies[0]: Unsupported value: "IPv5": supported values: "IPv4", "IPv6"'],
  [
    { ports, ipFamilyPolicy: 'Dual' },
    'spec.ipFamilyPolicy: Unsupported value: "Dual": supported values: "PreferDualStack", "RequireDualStack", "SingleStack"',
  ],
  [
    { type: 'ExternalName', externalName: 'a.b.', clusterIPs: ['10.96.0.9'] },
    'spec.clusterIPs: Forbidden: may not be set for ExternalName services',
  ],
  [
    { type: 'ExternalName', externalName: 'A_b' },
    expect.stringMatching(/^spec\.externalName: Invalid value: "A_b": a lowercase RFC 1123 subdomain/),
  ],
  [
    { ports, externalIPs: ['x', '127.0.0.1'] },
    `spec.externalIPs[0]: Invalid value: "x": ${address}`,
    'spec.externalIPs[1]: Invalid value: "127.0.0.1": may not be in the loopback range (127.0.0.0/8, ::1/128)',
  ],
  [
    { ports, loadBalancerSourceRanges: ['10.0.0.0/8'] },
    `spec.LoadBalancerSourceRanges: Forbidden: ${onlyForBalancers}`,
  ],
  [
    { ports, type: 'LoadBalancer', loadBalancerSourceRanges: [' 10.0.0.0/8 ', '10.0.0.1'] },
    'spec.LoadBalancerSourceRanges[1]: Invalid value: "10.0.0.1": must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)',
  ],
  [
    { ports, allocateLoadBalancerNodePorts: true },
    `spec.allocateLoadBalancerNodePorts: Forbidden: ${onlyForBalancers}`,
  ],
  [{ ports, loadBalancerClass: 'a/b' }, `spec.loadBalancerClass: Forbidden: ${onlyForBalancers}`],
  [
    { ports, externalTrafficPolicy: 'Local' },
    'spec.externalTrafficPolicy: Invalid value: "Local": may only be set for externally-accessible services',
  ],
  [
    { ports, type: 'NodePort', externalTrafficPolicy: 'Near' },
    'spec.externalTrafficPolicy: Unsupported value: "Near": supported values: "Cluster", "Local"',
  ],
  [
    { ports, internalTrafficPolicy: 'Near' },
    'spec.internalTrafficPolicy: Unsupported value: "Near": supported values: "Cluster", "Local"',
  ],
  [
    { ports, trafficDistribution: 'Near' },
    'spec.trafficDistribution: Unsupported value: "Near": supported values: "PreferClose", "PreferSameZone", "PreferSameNode"',
  ],
  [
    { ports, healthCheckNodePort: 30_001 },
    "spec.healthCheckNodePort: Invalid value: 30001: may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
  ],
  [
    { ports, sessionAffinity: 'ClientIP', sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } } },
    'spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 0: must be greater than 0 and less than 86400',
  ],
];

test.each(refused)('Service %j is refused: %s', (spec, ...errors) => {
  expect(createErrors(services, { spec })).toEqual(errors);
});

const taken: [object][] = [
  [{ type: 'ExternalName', externalName: 'example.org.' }],
  [{ clusterIP: 'None' }],
  [{ ports, externalIPs: ['192.0.2.7', '2001:db8::1'], externalTrafficPolicy: 'Local' }],
  [
    {
      type: 'NodePort',
      ports: [
        { port: 53, name: 'a', nodePort: 30_053 },
        { port: 53, name: 'b', protocol: 'UDP', nodePort: 30_053 },
      ],
    },
  ],
  [
    {
      ports,
      type: 'LoadBalancer',
      loadBalancerClass: 'example.org/lb',
      externalTrafficPolicy: 'Local',
      healthCheckNodePort: 30_009,
    },
  ],
  [{ ports, trafficDistribution: 'PreferSameZone' }],
];

test.each(taken)('Service %j is taken', (spec) => {
  expect(createErrors(services, { spec })).toEqual([]);
});

test('Service keeps the class of its balancer', () => {
  const balanced = (loadBalancerClass: string) =>
    created(services, { spec: { ports, type: 'LoadBalancer', loadBalancerClass } });
  expect(updateErrors(services, balanced('a/b'), balanced('a/c'))).toEqual([
    'spec.loadBalancerClass: Invalid value: "a/c": field is immutable',
  ]);
});
