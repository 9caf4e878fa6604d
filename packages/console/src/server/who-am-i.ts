import type { Kube } from '@slipway/kube';

/** The user that the API server takes us for; empty where it does not say. */
export async function whoAmI(kube: Kube, signal: AbortSignal): Promise<string> {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const answer = await kube.transport.request({ method: 'POST', path, body, signal }).catch(() => undefined);
  if (answer?.status !== 201) return '';
  const review = answer.body as { readonly status?: { readonly userInfo?: { readonly username?: string } } };
  return review.status?.userInfo?.username ?? '';
}
