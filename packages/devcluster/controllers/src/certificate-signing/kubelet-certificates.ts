import { requestedAlternatives, requestedSubject } from '@slipway/kube-objects/rules/certificate-request';
import { nodeGroup, nodeUserPrefix } from '@slipway/kube-objects/rules/node-name';

/** What a request asks for: base64 of a PEM block, and usages of the key. */
export interface AskedCertificate {
  readonly request: string;
  readonly usages?: readonly string[] | undefined;
}

/**
 * Explains, in the words of Kubernetes, why a request is not for the client certificate of a kubelet; undefined when
 * it is.
 * @throws CertificateRequestError
 */
export function kubeletClientProblem({ request, usages = [] }: AskedCertificate): string | undefined {
  const alternatives = requestedAlternatives(request);
  const foreign = (['DNS', 'Email', 'IP', 'URI'] as const).find((kind) => alternatives.has(kind));
  return (
    organizationProblem(request) ??
    (foreign && `${foreign} subjectAltNames are not allowed`) ??
    nameProblem(request) ??
    usageProblem(usages, 'client auth')
  );
}

/**
 * The same for the certificate by which those who talk to a kubelet know it.
 * @throws CertificateRequestError
 */
export function kubeletServingProblem({ request, usages = [] }: AskedCertificate): string | undefined {
  const alternatives = requestedAlternatives(request);
  const isReachable = alternatives.has('DNS') || alternatives.has('IP');
  const foreign = (['Email', 'URI'] as const).find((kind) => alternatives.has(kind));
  return (
    organizationProblem(request) ??
    (isReachable ? undefined : 'DNS or IP subjectAltName is required') ??
    (foreign && `${foreign} subjectAltNames are not allowed`) ??
    usageProblem(usages, 'server auth') ??
    nameProblem(request)
  );
}

function organizationProblem(request: string): string | undefined {
  const { organizations } = requestedSubject(request);
  const isNode = organizations.length === 1 && organizations[0] === nodeGroup;
  return isNode ? undefined : `subject organization is not ${nodeGroup}`;
}

function nameProblem(request: string): string | undefined {
  const isNode = requestedSubject(request).commonNames.at(-1)?.startsWith(nodeUserPrefix);
  return isNode ? undefined : `subject common name does not begin with ${nodeUserPrefix}`;
}

/** Keys that are no RSA keys encipher no others, and need not be allowed to. */
function usageProblem(usages: readonly string[], purpose: string): string | undefined {
  const wanted = ['digital signature', 'key encipherment', purpose].sort();
  const asked = new Set(usages).add('key encipherment');
  const isSame = asked.size === wanted.length && wanted.every((usage) => asked.has(usage));
  return isSame ? undefined : `usages did not match [${wanted.join(' ')}]`;
}
