import type { AdmissionHook, AdmissionRequest } from '@slipway/api-server/attributes/admission';
import { expect, test } from 'vitest';
import { clusterTrustBundles } from '../kinds/cluster-trust-bundle.js';
import { podCertificateRequests } from '../kinds/pod-certificate-request.js';
import { requireAttestRights, requirePodSignerRights } from './certificate-requests.js';

/** Allows verbs on signers by name: `attest a.dev/*`. */
const allowing = (...allowed: string[]) => ({
  authorize: (_user: unknown, access: { verb: string; name?: string }) => ({
    allowed: allowed.includes(`${access.verb} ${access.name}`),
    reason: '',
  }),
});

/** What a hook answers to a write of an object; undefined when it admits it. */
function answer(hook: AdmissionHook, request: object): string | undefined {
  const user = { name: 'jane', groups: [] };
  try {
    hook({ subresource: '', user, ...request } as unknown as AdmissionRequest, undefined as never);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const bundle = (signerName?: string, trustBundle = 'a') => ({
  metadata: { name: 'it' },
  spec: { trustBundle, ...(signerName && { signerName }) },
});

test('requireAttestRights() asks for the right to publish certificates of a signer when they change', () => {
  const write = (object: object, old: object | undefined, ...allowed: string[]) =>
    answer(requireAttestRights(allowing(...allowed)), { resource: clusterTrustBundles, object, old });
  const refused = expect.stringContaining('user not permitted to attest for signerName "a.dev/b"');
  expect(write(bundle('a.dev/b'), undefined)).toEqual(refused);
  expect(write(bundle('a.dev/b', 'c'), bundle('a.dev/b'), 'sign a.dev/b')).toEqual(refused);
  expect(write(bundle('a.dev/b'), bundle('a.dev/b'))).toBeUndefined();
  expect(write(bundle('a.dev/b'), undefined, 'attest a.dev/*')).toBeUndefined();
  expect(write(bundle(), undefined)).toBeUndefined();
});

test('requirePodSignerRights() asks for the right to sign when the status of a request changes', () => {
  const old = { metadata: { name: 'it' }, spec: { signerName: 'a.dev/b' }, status: {} };
  const write = (status: object, ...allowed: string[]) =>
    answer(requirePodSignerRights(allowing(...allowed)), {
      resource: podCertificateRequests,
      subresource: 'status',
      object: { ...old, status },
      old,
    });
  expect(write({ certificateChain: 'c' })).toContain(
    'spec.signerName: Forbidden: User "jane" is not permitted to "sign" for signer "a.dev/b"',
  );
  expect(write({ certificateChain: 'c' }, 'sign a.dev/b')).toBeUndefined();
  expect(write({})).toBeUndefined();
});
