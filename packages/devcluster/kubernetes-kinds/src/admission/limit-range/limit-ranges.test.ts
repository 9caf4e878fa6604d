import { aServer, named } from '@slipway/devcluster/testing/a-server';
import { beforeEach, expect, test } from 'vitest';
import { builtInAdmission } from '../built-in-admission.js';

let server: Awaited<ReturnType<typeof aServer>>;
beforeEach(async () => {
  server = await aServer(undefined, builtInAdmission());
});

const inDefault = '/api/v1/namespaces/default';

async function limit(item: object): Promise<void> {
  const { body } = await server.ask(
    'POST',
    `${inDefault}/limitranges`,
    named('LimitRange', 'l', { spec: { limits: [item] } }),
  );
  expect(body.message).toBeUndefined();
}

type Resources = { requests?: Record<string, string>; limits?: Record<string, string> };
const pod = (...containers: Resources[]) =>
  named('Pod', 'p', {
    spec: { containers: containers.map((resources, n) => ({ name: `c${n}`, image: 'a', resources })) },
  });

test('containers get the requests and limits that they have by default', async () => {
  await limit({ type: 'Container', default: { cpu: '500m' }, defaultRequest: { cpu: '250m', memory: '1Gi' } });
  const { body } = await server.ask('POST', `${inDefault}/pods`, pod({}, { requests: { cpu: '300m' } }));
  expect(body.spec.containers.map(({ resources }: { resources: unknown }) => resources)).toEqual([
    { requests: { cpu: '250m', memory: '1Gi' }, limits: { cpu: '500m' } },
    { requests: { cpu: '300m', memory: '1Gi' }, limits: { cpu: '500m' } },
  ]);
  expect(body.metadata.annotations).toEqual({
    'kubernetes.io/limit-ranger':
      'LimitRanger plugin set: cpu, memory request for container c0; cpu limit for container c0; memory request for container c1; cpu limit for container c1',
  });
  expect(body.status.qosClass).toBe('Burstable');
});

// a limit | a pod | what is said about it, undefined when it is fine
const cases: [object, ReturnType<typeof pod>, string | undefined][] = [
  [
    { type: 'Container', min: { cpu: '100m' } },
    pod({ requests: { cpu: '50m' } }),
    'minimum cpu usage per Container is 100m, but request is 50m',
  ],
  [{ type: 'Container', min: { cpu: '100m' } }, pod({}), undefined],
  [
    { type: 'Container', max: { cpu: '1' } },
    pod({ limits: { cpu: '2' } }),
    'maximum cpu usage per Container is 1, but limit is 2',
  ],
  [{ type: 'Container', max: { cpu: '1' } }, pod({}), undefined],
  [
    { type: 'Container', max: { cpu: '1', memory: '1Gi' } },
    pod({ limits: { cpu: '2', memory: '2Gi' } }),
    '[maximum cpu usage per Container is 1, but limit is 2, maximum memory usage per Container is 1Gi, but limit is 2Gi]',
  ],
  [
    { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
    pod({ requests: { cpu: '1' }, limits: { cpu: '3' } }),
    'cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000',
  ],
  [
    { type: 'Container', maxLimitRequestRatio: { cpu: '2' } },
    pod({ limits: { memory: '1' } }),
    'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
  ],
  [
    { type: 'Pod', max: { cpu: '1' } },
    pod({ limits: { cpu: '600m' } }, { limits: { cpu: '600m' } }),
    'maximum cpu usage per Pod is 1, but limit is 1200m',
  ],
  [{ type: 'Pod', max: { cpu: '1' } }, pod({}), 'maximum cpu usage per Pod is 1.  No limit is specified'],
  [{ type: 'Pod', min: { memory: '1Gi' } }, pod({}), 'minimum memory usage per Pod is 1Gi.  No request is specified'],
  [{ type: 'PersistentVolumeClaim', max: { storage: '1Gi' } }, pod({}), undefined],
];
test.each(cases)('a limit %j and a pod: %j', async (item, object, why) => {
  await limit(item);
  const { status, body } = await server.ask('POST', `${inDefault}/pods`, object);
  expect(status === 201 ? undefined : body.message).toBe(
    why === undefined ? undefined : `pods "p" is forbidden: ${why}`,
  );
});

test('claims have limits, too', async () => {
  await limit({ type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '10Gi' } });
  const claim = (storage: string) =>
    named('PersistentVolumeClaim', 'c', {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
    });
  const create = (storage: string) => server.ask('POST', `${inDefault}/persistentvolumeclaims`, claim(storage));
  expect((await create('20Gi')).body.message).toBe(
    'persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 10Gi, but request is 20Gi',
  );
  expect((await create('100Mi')).body.message).toBe(
    'persistentvolumeclaims "c" is forbidden: minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 100Mi',
  );
  expect((await create('5Gi')).status).toBe(201);
});

test('limits that are not given follow from those that are', async () => {
  await limit({ type: 'Container', max: { cpu: '2' }, min: { memory: '1Mi' } });
  const { body } = await server.ask('GET', `${inDefault}/limitranges/l`);
  expect(body.spec.limits[0]).toMatchObject({ default: { cpu: '2' }, defaultRequest: { cpu: '2', memory: '1Mi' } });
});

// a limit | what is wrong with it
const refused: [object, string][] = [
  [{ type: 'Nope' }, 'spec.limits[0].type: Invalid value: "Nope": must be a standard limit type or fully qualified'],
  [
    { type: 'Pod', default: { cpu: '1' } },
    "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
  ],
  [
    { type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } },
    'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
  ],
  [
    { type: 'PersistentVolumeClaim' },
    'spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
  ],
  [
    { type: 'Container', maxLimitRequestRatio: { cpu: '500m' } },
    'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1',
  ],
  [
    { type: 'Container', max: { nope: '1' } },
    'spec.limits[0].max[nope]: Invalid value: "nope": must be a standard resource for containers',
  ],
];
test.each(refused)('a limit that makes no sense is refused: %j', async (item, why) => {
  const { status, body } = await server.ask(
    'POST',
    `${inDefault}/limitranges`,
    named('LimitRange', 'l', { spec: { limits: [item] } }),
  );
  expect(status).toBe(422);
  expect(body.message).toContain(why);
});
