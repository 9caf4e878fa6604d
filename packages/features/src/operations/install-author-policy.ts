import type { Kube } from '@slipway/kube';
import { mutatingBinding, mutatingPolicy, ValidatingBinding, ValidatingPolicy } from '../api/admission-kinds.js';
import { authorPolicyObjects, authorStampObjects } from '../rbac/author-policy.js';
import { authorRightsPolicyObjects } from '../rbac/author-rights-policy.js';
import { putObject } from './put-object.js';

/**
 * Has the API server vouch for who writes definitions and Features, without which the feature server uses no right for
 * them. Where MutatingAdmissionPolicy is served (by default since Kubernetes 1.36), the API server also fills the author in.
 * @throws StatusError when the API server rejects a policy.
 */
export async function installAuthorPolicy(kube: Kube, signal?: AbortSignal): Promise<void> {
  for (const [policy, binding] of [authorPolicyObjects(), authorRightsPolicyObjects()]) {
    await putObject(kube, ValidatingPolicy, policy, signal);
    await putObject(kube, ValidatingBinding, binding, signal);
  }
  const version = await stampVersion(kube, signal);
  if (version === undefined) return;
  const [stamp, stampBinding] = authorStampObjects(version);
  await putObject(kube, mutatingPolicy(version), stamp, signal);
  await putObject(kube, mutatingBinding(version), stampBinding, signal);
}

/** The version of MutatingAdmissionPolicy with which the API server can fill in the author; undefined when it serves none. */
export async function stampVersion(kube: Kube, signal?: AbortSignal): Promise<string | undefined> {
  const { group, kind } = mutatingPolicy('');
  return (await kube.discover(signal)).find({ group, kind })?.version;
}
