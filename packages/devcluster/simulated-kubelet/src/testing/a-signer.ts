// The X.509 library needs the metadata polyfill to be there before it.
import 'reflect-metadata';
import { Pkcs10CertificateRequest, X509CertificateGenerator } from '@peculiar/x509';
import { type Kube, timestamp } from '@slipway/kube';
import { type PodCertificateRequest, podCertificateRequests } from '@slipway/kube-objects/kinds/api/certificates';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const hourMs = 3_600_000;

/** Issues what a request for a key of type ECDSAP256 asks for: a certificate as long as it may be, which is to be renewed after an hour. */
export async function issue(kube: Kube, request: PodCertificateRequest): Promise<string> {
  const { publicKey: asked } = new Pkcs10CertificateRequest(request.spec.stubPKCS10Request);
  const signingKey = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const lastsMs = (request.spec.maxExpirationSeconds ?? 0) * 1000;
  const fromMs = Math.floor(kube.clock.now() / 1000) * 1000;
  const certificate = await X509CertificateGenerator.create({
    subject: 'CN=pod',
    issuer: 'CN=signer',
    publicKey: await asked.export(algorithm, ['verify']),
    signingKey: signingKey.privateKey,
    signingAlgorithm: algorithm,
    notBefore: new Date(fromMs),
    notAfter: new Date(fromMs + lastsMs),
  });
  const certificateChain = `${certificate.toString('pem')}\n`;
  await answer(kube, request, {
    conditions: [condition(kube, 'Issued', 'Signed', '')],
    certificateChain,
    notBefore: timestamp(fromMs),
    beginRefreshAt: timestamp(fromMs + hourMs),
    notAfter: timestamp(fromMs + lastsMs),
  });
  return certificateChain;
}

/** Refuses a request for good. */
export async function refuse(kube: Kube, request: PodCertificateRequest, type: 'Denied' | 'Failed'): Promise<void> {
  await answer(kube, request, { conditions: [condition(kube, type, 'NotMine', 'it is not mine')] });
}

function condition(kube: Kube, type: string, reason: string, message: string) {
  return { type, status: 'True', reason, message, lastTransitionTime: timestamp(kube.clock.now()) } as const;
}

async function answer(
  kube: Kube,
  request: PodCertificateRequest,
  status: NonNullable<PodCertificateRequest['status']>,
): Promise<void> {
  await kube.resource(podCertificateRequests).replaceStatus({ ...request, status });
}
