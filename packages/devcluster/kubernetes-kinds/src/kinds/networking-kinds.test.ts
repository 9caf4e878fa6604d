import type { ResourceDefinition } from '@slipway/api-server/registry/resource-definition';
import { expect, test } from 'vitest';
import { ingressClasses } from './ingress-class.js';
import { ipAddresses } from './ip-address.js';
import { networkPolicies } from './network-policy.js';
import { serviceCidrs } from './service-cidr.js';
import { created, createErrors, row, updateErrors } from './testing/write.js';

const policy = (spec: object) => ({ spec: { podSelector: {}, ...spec } });

test('NetworkPolicy is about what comes in, and about what goes out once it says something of it', () => {
  expect(created(networkPolicies, policy({})).spec.policyTypes).toEqual(['Ingress']);
  const both = created(networkPolicies, policy({ egress: [{ ports: [{ port: 53 }] }] }));
  expect(both.spec).toMatchObject({ policyTypes: ['Ingress', 'Egress'], egress: [{ ports: [{ protocol: 'TCP' }] }] });
  expect(
    row(networkPolicies, created(networkPolicies, policy({ podSelector: { matchLabels: { a: 'b' } } }))),
  ).toMatchObject({
    'POD-SELECTOR': 'a=b',
  });
  expect(row(networkPolicies, both)).toMatchObject({ 'POD-SELECTOR': '<none>' });
});

// kind | object | what is wrong with it
const invalid: [ResourceDefinition, object, string[]][] = [
  [networkPolicies, policy({ ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 80, endPort: 90 }] }] }), []],
  [
    networkPolicies,
    policy({
      ingress: [{ from: [{}], ports: [{ port: 80, endPort: 70 }, { port: 'web', endPort: 1 }, { endPort: 1 }] }],
    }),
    [
      'spec.ingress[0].ports[0].endPort: Invalid value: 70: must be greater than or equal to `port`',
      'spec.ingress[0].ports[1].endPort: Invalid value: 1: may not be specified when `port` is non-numeric',
      'spec.ingress[0].ports[2].endPort: Invalid value: 1: may not be specified when `port` is not specified',
      'spec.ingress[0].from[0]: Required value: must specify a peer',
    ],
  ],
  [
    networkPolicies,
    policy({
      policyTypes: ['Sideways'],
      egress: [
        {
          to: [
            { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16', '11.0.0.0/16', '10.0.0.0/8'] }, podSelector: {} },
          ],
        },
      ],
    }),
    [
      'spec.egress[0].to[0].ipBlock.except[1]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
      'spec.egress[0].to[0].ipBlock.except[2]: Invalid value: "10.0.0.0/8": must be a strict subset of `cidr`',
      'spec.egress[0].to[0]: Forbidden: may not specify both ipBlock and another peer',
      'spec.policyTypes[0]: Unsupported value: "Sideways": supported values: "Ingress", "Egress"',
    ],
  ],
  [ingressClasses, { spec: { controller: 'example.com/ingress' } }, []],
  [ingressClasses, {}, ['spec.controller: Required value']],
  [
    ingressClasses,
    { spec: { controller: 'nginx', parameters: { kind: 'K', name: 'n', scope: 'Namespace' } } },
    [
      'spec.controller: Invalid value: "nginx": must be a domain-prefixed path (such as "acme.io/foo")',
      "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'",
    ],
  ],
  [serviceCidrs, { spec: { cidrs: ['10.0.0.0/16', '2001:db8::/64'] } }, []],
  [serviceCidrs, {}, ['spec.cidrs: Required value: at least one CIDR required']],
  [
    serviceCidrs,
    { spec: { cidrs: ['10.0.1.1/16', '2001:DB8:0:0::/64'] } },
    [
      'spec.cidrs[0]: Invalid value: "10.0.1.1/16": must be in canonical form ("10.0.0.0/16")',
      'spec.cidrs[1]: Invalid value: "2001:DB8:0:0::/64": must be in canonical form ("2001:db8::/64")',
    ],
  ],
  [ipAddresses, { spec: { parentRef: { resource: 'services', namespace: 'default', name: 'kubernetes' } } }, []],
  [ipAddresses, {}, ['spec.parentRef: Required value']],
];

test.each(invalid)('%s: %j', (definition, object, errors) => {
  expect(createErrors(definition, object)).toEqual(errors);
});

test('IPAddress is called as the address is written', () => {
  const address = created(ipAddresses, { spec: { parentRef: { resource: 'services', namespace: 'a', name: 'b' } } });
  const problems = (name: string) => ipAddresses.nameProblems?.(name, address);
  expect(problems('192.168.1.5')).toEqual([]);
  expect(problems('2001:DB8::1')).toEqual(['must be in canonical form ("2001:db8::1")']);
  expect(problems('web')).toEqual(['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)']);
  expect(row(ipAddresses, address)).toMatchObject({ PARENTREF: 'services/a/b' });
});

test('what must stay stays', () => {
  const ofClass = (controller: string) => ({ spec: { controller } });
  expect(updateErrors(ingressClasses, ofClass('a.com/b'), ofClass('a.com/c'))).toEqual([
    'spec.controller: Invalid value: "a.com/c": field is immutable',
  ]);
  const range = (...cidrs: string[]) => ({ spec: { cidrs } });
  expect(updateErrors(serviceCidrs, range('10.0.0.0/16'), range('10.0.0.0/16', '2001:db8::/64'))).toEqual([]);
  expect(updateErrors(serviceCidrs, range('10.0.0.0/16'), range('10.1.0.0/16'))).toEqual([
    'spec.cidrs[0]: Invalid value: "10.1.0.0/16": field is immutable',
  ]);
});
