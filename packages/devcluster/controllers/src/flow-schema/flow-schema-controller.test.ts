import { inprocTransport } from '@slipway/api-server/transport/inproc-transport';
import { admin, aServer } from '@slipway/devcluster/testing/a-server';
import { Kube, Manager, silentLog } from '@slipway/kube';
import { flowSchemas, priorityLevels } from '@slipway/kube-objects/kinds/api/flows';
import { until } from '@slipway/kube-objects/testing/until';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { flowSchemaController } from './flow-schema-controller.js';

let kube: Kube;
let manager: Manager;

beforeEach(async () => {
  const { api } = await aServer();
  kube = new Kube(inprocTransport(api, admin));
  manager = new Manager({ kube, log: silentLog });
  manager.add(flowSchemaController({ kube, informers: manager.informers, log: silentLog }));
  await manager.start();
});

afterEach(() => manager.stop());

const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';

function dangling(status: string) {
  return until(`Dangling to be ${status}`, async () => {
    const { status: seen } = await kube.resource(flowSchemas).get({ name: 'mine' });
    return seen?.conditions?.find((condition) => condition.type === 'Dangling' && condition.status === status);
  });
}

test('a FlowSchema says whether its priority level is there, as levels come and go', async () => {
  const level = { name: 'low' };
  await kube.resource(flowSchemas).create({
    apiVersion,
    kind: 'FlowSchema',
    metadata: { name: 'mine' },
    spec: { priorityLevelConfiguration: level, matchingPrecedence: 500 },
  });
  const named = 'This FlowSchema references the PriorityLevelConfiguration object named "low"';
  expect(await dangling('True')).toMatchObject({ reason: 'NotFound', message: `${named} but there is no such object` });
  await kube.resource(priorityLevels).create({
    apiVersion,
    kind: 'PriorityLevelConfiguration',
    metadata: level,
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
  });
  expect(await dangling('False')).toMatchObject({ reason: 'Found', message: `${named} and it exists` });
  await kube.resource(priorityLevels).delete(level);
  await dangling('True');
});
