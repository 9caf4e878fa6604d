import { expect, test } from 'vitest';
import { builtInSchema } from './type-table.js';

test('inOrder() writes an object as Go writes its type', () => {
  const service = {
    spec: {
      type: 'ClusterIP',
      clusterIPs: ['None'],
      selector: { b: '1', a: '2' },
      clusterIP: 'None',
      ports: [{ targetPort: 80, port: 80, protocol: 'TCP' }],
    },
    metadata: { labels: { z: '', a: '' }, name: 'a' },
    apiVersion: 'v1',
    kind: 'Service',
  };
  expect(JSON.stringify(builtInSchema('core.v1.Service').inOrder?.(service))).toBe(
    JSON.stringify({
      kind: 'Service',
      apiVersion: 'v1',
      metadata: { name: 'a', labels: { a: '', z: '' } },
      spec: {
        ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
        selector: { a: '2', b: '1' },
        clusterIP: 'None',
        clusterIPs: ['None'],
        type: 'ClusterIP',
      },
    }),
  );
});
