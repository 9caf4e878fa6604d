import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from './comparable.js';
import type { Send } from './exchange.js';
import { pluralOf } from './policies.js';
import type { Kind } from './policy-matching.js';

const root = '/apis/admissionregistration.k8s.io/v1';
const json = 'application/json';
const checkAgainMs = 100;
const maxChecks = 100;

/**
 * Waits until the policies stored so far are in effect, at most 10 s: until a policy that is created now is asked about
 * a Lease, which others of the scenario are not to change.
 */
export async function settlePolicies(send: Send, namespace: string, kind: Kind): Promise<void> {
  const name = `${namespace}-settled`;
  const matchConstraints = {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    resourceRules: [
      { apiGroups: ['coordination.k8s.io'], apiVersions: ['v1'], resources: ['leases'], operations: ['CREATE'] },
    ],
  };
  // Kubernetes reads the parameters from a cache.
  const paramRef = { namespace, selector: { matchLabels: { limit: '2' } }, parameterNotFoundAction: 'Allow' };
  await keepParameters(send, kind);
  await create(send, kind, 'Policy', name, { matchConstraints, paramKind, ...actionOf(kind, name) });
  await create(send, kind, 'PolicyBinding', name, { ...bindingOf(kind, name), paramRef });
  for (let checks = 0; checks < maxChecks; checks++) {
    const answer = await send({
      method: 'POST',
      path: `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases?dryRun=All`,
      contentType: json,
      body: JSON.stringify({ metadata: { name: 'settled' } }),
    });
    if (isJudged(answer, name)) return;
    await delay(checkAgainMs);
  }
  throw new Error(`policies of ${namespace} are not in effect after ${(checkAgainMs * maxChecks) / 1000} s`);
}

/**
 * Creates a policy that stays and is about nothing: Kubernetes no longer notices changes of parameters once all policies
 * with parameters of their kind are gone.
 */
async function keepParameters(send: Send, kind: Kind): Promise<void> {
  const resourceRules = [{ apiGroups: ['none.dev'], apiVersions: ['v1'], resources: ['as'], operations: ['CREATE'] }];
  await create(send, kind, 'Policy', 'keeps', {
    matchConstraints: { resourceRules },
    paramKind,
    ...actionOf(kind, ''),
  });
  await create(send, kind, 'PolicyBinding', 'keeps', bindingOf(kind, 'keeps'));
}

const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };

/** What a policy does so that it is seen: it warns, or adds an annotation. */
function actionOf(kind: Kind, name: string): object {
  if (kind === 'Validating') return { validations: [{ expression: 'false' }] };
  const expression = `Object{metadata: Object.metadata{annotations: {'settled': '${name}'}}}`;
  const mutations = [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }];
  return { reinvocationPolicy: 'Never', mutations };
}

function bindingOf(kind: Kind, policyName: string): object {
  return { policyName, ...(kind === 'Validating' && { validationActions: ['Warn'] }) };
}

function isJudged({ warnings, text }: Answer, name: string): boolean {
  return warnings.some((warning) => warning.includes(name)) || text.includes(`"settled":"${name}"`);
}

async function create(
  send: Send,
  kind: Kind,
  what: 'Policy' | 'PolicyBinding',
  name: string,
  spec: object,
): Promise<void> {
  const metadata = { name, labels: { run: name.replace(/-settled$/, '') } };
  const body = JSON.stringify({ metadata, spec });
  const { status, text } = await send({
    method: 'POST',
    path: `${root}/${pluralOf(kind, what)}`,
    contentType: json,
    body,
  });
  if (status !== 201 && status !== 409) throw new Error(`${what} ${name} was not created: ${text}`);
}

/** Deletes the policies of a scenario, which would be asked about the requests of others. */
export async function deletePolicies(send: Send, namespace: string, kind: Kind): Promise<void> {
  for (const what of ['PolicyBinding', 'Policy'] as const) {
    await send({ method: 'DELETE', path: `${root}/${pluralOf(kind, what)}?labelSelector=run%3D${namespace}` });
  }
}
