import { type FieldError, invalid as invalidField } from '@slipway/api-machinery/errors/field-error';
import {
  badRequest,
  conflict,
  invalid,
  methodNotSupported,
  notFound,
} from '@slipway/api-machinery/errors/status-errors';
import { accountUserName } from '@slipway/api-machinery/identity/service-account';
import { objectTime } from '@slipway/api-machinery/json/write/object-time';
import type { KubeObject } from '@slipway/kube';
import type { Bound } from '../auth/tokens/token-claims.js';
import type { Call, Core } from '../core/core.js';
import type { ResourceDefinition } from '../registry/resource-definition.js';
import type { ApiAnswer } from '../request/request.js';
import { jsonAnswer } from '../response/answers.js';
import { valuePayload } from '../response/payloads.js';
import { admitBody } from '../write/admission-attributes.js';
import { bodyKind } from './body-kind.js';
import { readPartBody } from './part-body.js';

const group = 'authentication.k8s.io';
const kind = 'TokenRequest';
const defaultSeconds = 3600;
const fewestSeconds = 600;
const maxSeconds = 2 ** 32;

/** POST of a `TokenRequest`: a new token of a service account. Nothing is stored: the token says it all. */
export async function requestToken(core: Core, call: Call): Promise<ApiAnswer> {
  const { definition, request, namespace, name } = call;
  if (request.method !== 'POST') throw methodNotSupported(definition, request.method.toLowerCase());
  const { object, dryRun } = readPartBody(core, call, tokenRequestKind, 'kept');
  const { metadata } = object;
  if (metadata.name && metadata.name !== name) {
    const detail = 'must match the service account name if specified';
    throw invalid(kind, group, name, [invalidField('metadata.name', metadata.name, detail)]);
  }
  const account = core.store.latest(definition.storedAs, namespace, name)?.object;
  if (!account) throw notFound(definition, name);
  const { uid = '' } = account.metadata;
  if (metadata.uid && metadata.uid !== uid) {
    const why = `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`;
    throw conflict({ group, plural: kind }, name, why);
  }
  await admitBody(core, call, tokenRequestKind, object, dryRun);
  const { audiences, boundObjectRef, expirationSeconds } = object.spec;
  const errors = validateSeconds(expirationSeconds);
  if (errors.length > 0) throw invalid(kind, group, '', errors);
  const bound = boundObjectRef ? boundTo(core, call, boundObjectRef) : {};
  const meant: readonly string[] = audiences?.length > 0 ? audiences : core.tokens.audiences;
  const nowMs = core.clock.now();
  const exp = Math.floor(nowMs / 1000) + expirationSeconds;
  const claims = {
    aud: meant,
    exp,
    sub: accountUserName(namespace, name),
    'kubernetes.io': { namespace, serviceaccount: { name, uid }, ...bound },
  };
  const token = await core.tokens.issue(claims, core.random.uid());
  const answer = {
    kind,
    apiVersion: `${group}/v1`,
    metadata: { ...metadata, name, namespace, uid, creationTimestamp: objectTime(nowMs) },
    spec: { audiences: meant, expirationSeconds, boundObjectRef: boundObjectRef ?? null },
    status: { token, expirationTimestamp: objectTime(exp * 1000) },
  };
  return jsonAnswer(201, valuePayload(answer));
}

function validateSeconds(seconds: number): FieldError[] {
  const refuse = (detail: string) => [invalidField('spec.expirationSeconds', seconds, detail)];
  if (seconds < fewestSeconds) return refuse('may not specify a duration less than 10 minutes');
  return seconds > maxSeconds ? refuse('may not specify a duration larger than 2^32 seconds') : [];
}

interface Reference {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly name?: string;
  readonly uid?: string;
}

const resources: Readonly<Record<string, string>> = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' };

/** The object that the token is to live and die with; with a pod goes its node. */
function boundTo(core: Core, call: Call, reference: Reference): Record<string, Bound | { name: string; uid?: string }> {
  const { kind = '', apiVersion = '', name = '', uid = '' } = reference;
  const resource = apiVersion === 'v1' || apiVersion === '' ? resources[kind] : undefined;
  if (!resource) {
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  }
  if (name === '') throw badRequest('Name parameter required.');
  const object = core.store.latest(resource, kind === 'Node' ? '' : call.namespace, name)?.object;
  if (!object) throw notFound({ group: '', plural: resource }, name);
  if (kind === 'Pod' && object.spec.serviceAccountName !== call.name) {
    const account = JSON.stringify(call.name);
    throw badRequest(
      `cannot bind token for serviceaccount ${account} to pod running with different serviceaccount name.`,
    );
  }
  const found = object.metadata.uid ?? '';
  if (uid !== '' && uid !== found) {
    const why = `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: '', plural: kind }, name, why);
  }
  const bound = { [kind.toLowerCase()]: { name, uid: found } };
  return kind === 'Pod' ? { ...bound, ...nodeOf(core, object) } : bound;
}

function nodeOf(core: Core, { spec }: KubeObject): { node?: { name: string; uid?: string } } {
  const name: string = spec.nodeName ?? '';
  if (name === '') return {};
  const uid = core.store.latest('nodes', '', name)?.object.metadata.uid;
  return { node: uid === undefined ? { name } : { name, uid } };
}

const tokenRequestKind: ResourceDefinition = {
  ...bodyKind(group, 'v1', kind, 'authentication.v1.TokenRequest'),
  applyDefaults(request) {
    request.spec ??= {};
    request.spec.expirationSeconds ??= defaultSeconds;
  },
};
