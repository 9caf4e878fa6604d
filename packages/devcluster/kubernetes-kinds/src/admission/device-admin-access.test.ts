import { aServer } from '@slipway/devcluster/testing/a-server';
import { expect, test } from 'vitest';
import { builtInAdmission } from './built-in-admission.js';

const group = '/apis/resource.k8s.io/v1/namespaces/default';
const merge = { 'content-type': 'application/merge-patch+json' };
const why =
  'admin access to devices requires the `resource.kubernetes.io/admin-access: true` label on the containing namespace';

const wish = (adminAccess: boolean) => ({
  devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', adminAccess } }] },
});
const claim = (name: string, adminAccess: boolean) => ({ metadata: { name }, spec: wish(adminAccess) });

async function setUp() {
  const { ask } = await aServer(undefined, builtInAdmission());
  const allow = (value: string | null) =>
    ask(
      'PATCH',
      '/api/v1/namespaces/default',
      { metadata: { labels: { 'resource.kubernetes.io/admin-access': value } } },
      merge,
    );
  return { ask, allow };
}

test('claims and templates with access for administrators are for namespaces that allow it', async () => {
  const { ask, allow } = await setUp();
  const made = async (kind: string, object: object) => {
    const { status, body } = await ask('POST', `${group}/${kind}`, object);
    return status === 201 ? 'made' : body.message;
  };
  const template = { metadata: { name: 't' }, spec: { spec: wish(true) } };
  expect(await made('resourceclaims', claim('plain', false))).toBe('made');
  expect(await made('resourceclaims', claim('admin', true))).toBe(
    `ResourceClaim.resource.k8s.io "admin" is invalid: spec.devices.requests[0].adminAccess: Forbidden: ${why}`,
  );
  expect(await made('resourceclaimtemplates', template)).toBe(
    `ResourceClaimTemplate.resource.k8s.io "t" is invalid: spec.devices.requests[0].adminAccess: Forbidden: ${why}`,
  );
  await allow('yes');
  expect(await made('resourceclaims', claim('admin', true))).toContain(why);
  await allow('true');
  expect(await made('resourceclaims', claim('admin', true))).toBe('made');
  expect(await made('resourceclaimtemplates', template)).toBe('made');
});

test('an allocation grants access for administrators only there, and one that was granted stays', async () => {
  const { ask, allow } = await setUp();
  await allow('true');
  await ask('POST', `${group}/resourceclaims`, claim('admin', true));
  await allow(null);
  const result = { request: 'r', driver: 'gpu.example.com', pool: 'p', device: 'a', adminAccess: true };
  const write = (status: object) => ask('PATCH', `${group}/resourceclaims/admin/status`, { status }, merge);
  const allocation = { devices: { results: [result] } };
  expect((await write({ allocation })).body.message).toBe(
    `ResourceClaim.resource.k8s.io "admin" is invalid: status.allocation.devices.results[0].adminAccess: Forbidden: ${why}`,
  );
  await allow('true');
  expect((await write({ allocation })).status).toBe(200);
  await allow(null);
  const reservedFor = [{ resource: 'pods', name: 'p', uid: 'u' }];
  expect((await write({ reservedFor })).status).toBe(200);
  // The rest of its spec never changes, so that it is not looked at again.
  expect(
    (await ask('PATCH', `${group}/resourceclaims/admin`, { metadata: { labels: { a: 'b' } } }, merge)).status,
  ).toBe(200);
});
