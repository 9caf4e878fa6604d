import { expect, test } from 'vitest';
import { ingresses } from './ingress.js';
import { created, createErrors, row } from './testing/write.js';

const service = { name: 'web', port: { number: 80 } };
const backend = { service };
const rule = (path: object, host?: string) => ({ ...(host !== undefined && { host }), http: { paths: [path] } });
const everything = rule({ path: '/', pathType: 'Prefix', backend });

// spec | what is wrong with it
const cases: [object, string[]][] = [
  [{ rules: [everything] }, []],
  [{ defaultBackend: backend, ingressClassName: 'nginx', tls: [{ hosts: ['*.a.com'], secretName: 'cert' }] }, []],
  [{}, ['spec: Invalid value: null: either `defaultBackend` or `rules` must be specified']],
  [
    { rules: [rule({ path: '/', backend })] },
    ['spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified'],
  ],
  [
    { rules: [rule({ path: 'a//b/..', pathType: 'Exact', backend })] },
    [
      'spec.rules[0].http.paths[0].path: Invalid value: "a//b/..": must be an absolute path',
      'spec.rules[0].http.paths[0].path: Invalid value: "a//b/..": must not contain \'//\'',
      'spec.rules[0].http.paths[0].path: Invalid value: "a//b/..": cannot end with \'/..\'',
    ],
  ],
  [{ rules: [rule({ pathType: 'ImplementationSpecific', backend })] }, []],
  [
    { rules: [rule({ path: '/', pathType: 'Regex', backend })] },
    [
      'spec.rules[0].http.paths[0].pathType: Unsupported value: "Regex": supported values: "Exact", "ImplementationSpecific", "Prefix"',
    ],
  ],
  [{ rules: [{ http: {} }] }, ['spec.rules[0].http.paths: Required value']],
  [
    { defaultBackend: backend, rules: [{ host: '10.0.0.1' }] },
    ['spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address'],
  ],
  [{ defaultBackend: {} }, ['spec.defaultBackend: Invalid value: "": resource or service backend is required']],
  [
    { defaultBackend: { service, resource: { kind: 'Bucket', name: 'a' } } },
    ['spec.defaultBackend: Invalid value: "": cannot set both resource and service backends'],
  ],
  [{ defaultBackend: { resource: { kind: 'Bucket' } } }, ['spec.defaultBackend.resource.name: Required value']],
  [
    { defaultBackend: { service: { name: 'web', port: { number: 80, name: 'http' } } } },
    ['spec.defaultBackend: Invalid value: "": cannot set both port name & port number'],
  ],
  [
    { defaultBackend: { service: { name: 'web' } } },
    ['spec.defaultBackend: Required value: port name or number is required'],
  ],
];

test.each(cases)('Ingress of %j', (spec, errors) => {
  expect(createErrors(ingresses, { spec })).toEqual(errors);
});

test('a host with a star must be a whole wildcard', () => {
  const [error = ''] = createErrors(ingresses, { spec: { rules: [{ ...everything, host: 'a.*.com' }] } });
  expect(error).toContain("a wildcard DNS-1123 subdomain must start with '*.'");
});

// hosts of the rules | column
test.each([
  [['a.com'], 'a.com'],
  [[''], '*'],
  [['a', 'b', 'c'], 'a,b,c'],
  [['a', 'b', 'c', ''], 'a,b,c + 1 more...'],
  [['', 'a', 'b', 'c', 'd'], 'a,b,c + 2 more...'],
])('rules for %j show as %s', (hosts, text) => {
  const ingress = created(ingresses, { spec: { rules: hosts.map((host) => ({ ...everything, host })) } });
  expect(row(ingresses, ingress)).toMatchObject({ CLASS: '<none>', HOSTS: text, ADDRESS: '', PORTS: '80' });
});
