import { aPod } from '@slipway/kube-objects/testing/objects';
import { expect, test } from 'vitest';
import type { ContainerView } from './container-view.js';
import { serviceVariables } from './service-variables.js';

const service = (namespace: string, name: string, spec: object) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace, name },
  spec,
});
const all = [
  service('default', 'my-db', {
    clusterIP: '10.96.0.7',
    ports: [
      { name: 'sql-main', port: 5432, protocol: 'TCP' },
      { name: 'dns', port: 53, protocol: 'UDP' },
    ],
  }),
  service('default', 'headless', { clusterIP: 'None', ports: [{ port: 1 }] }),
  service('other', 'elsewhere', { clusterIP: '10.96.0.8', ports: [{ port: 1 }] }),
];

test('serviceVariables() has the variables that kubelets set for each service with an address', () => {
  const view = { pod: aPod('p', { spec: { containers: [] } }), services: () => all } as unknown as ContainerView;
  expect(Object.fromEntries(serviceVariables(view))).toEqual({
    MY_DB_SERVICE_HOST: '10.96.0.7',
    MY_DB_SERVICE_PORT: '5432',
    MY_DB_SERVICE_PORT_SQL_MAIN: '5432',
    MY_DB_SERVICE_PORT_DNS: '53',
    MY_DB_PORT: 'tcp://10.96.0.7:5432',
    MY_DB_PORT_5432_TCP: 'tcp://10.96.0.7:5432',
    MY_DB_PORT_5432_TCP_PROTO: 'tcp',
    MY_DB_PORT_5432_TCP_PORT: '5432',
    MY_DB_PORT_5432_TCP_ADDR: '10.96.0.7',
    MY_DB_PORT_53_UDP: 'udp://10.96.0.7:53',
    MY_DB_PORT_53_UDP_PROTO: 'udp',
    MY_DB_PORT_53_UDP_PORT: '53',
    MY_DB_PORT_53_UDP_ADDR: '10.96.0.7',
  });
});
