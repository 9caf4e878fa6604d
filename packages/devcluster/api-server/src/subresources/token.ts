import type { FieldError } from '@slipway/api-machinery/errors/field-error';
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
import type { ApiAnswer } from '../request/request.js';
import { readWriteOptions } from '../request/write-options.js';
import { jsonAnswer } from '../response/answers.js';
import { valuePayload } from '../response/payloads.js';
import { admitBody } from '../write/admission-attributes.js';
import { decodeObject } from '../write/body.js';
import { matchNamespace } from '../write/write-guards.js';
import { bodyKind } from './body-kind.js';

const defaultSeconds = 3600;
const fewestSeconds = 600;
const maxSeconds = 2 ** 32;

/** POST of a `TokenRequest`: a new token of a service account. Nothing is stored: the token says it all. */
export async function requestToken(core: Core, call: Call): Promise<ApiAnswer> {
  const { definition, request, namespace, name, query } = call;
  if (request.method !== 'POST') throw methodNotSupported(definition, request.method.toLowerCase());
  const { fieldValidation, dryRun } = readWriteOptions(query, 'CreateOptions');
  const { object, warnings } = decodeObject(
    tokenRequestKind,
    request.body,
    request.headers['content-type'],
    fieldValidation,
  );
  matchNamespace(call, object);
  if (object.metadata.name && object.metadata.name !== name) {
    throw badRequest(`name in URL does not match name in TokenRequest object`);
  }
  const account = core.store.latest(definition.storedAs, namespace, name)?.object;
  if (!account) throw notFound(definition, name);
  await admitBody(core, call, tokenRequestKind, object, dryRun);
  const { audiences, boundObjectRef } = object.spec ?? {};
  const expirationSeconds: number = object.spec?.expirationSeconds ?? defaultSeconds;
  const errors = validateSeconds(expirationSeconds);
  if (errors.length > 0) throw invalid('TokenRequest', 'authentication.k8s.io', '', errors);
  const bound = boundObjectRef ? boundTo(core, call, boundObjectRef) : {};
  const meant: readonly string[] = audiences?.length > 0 ? audiences : core.tokens.audiences;
  const exp = Math.floor(core.clock.now() / 1000) + expirationSeconds;
  const { uid = '' } = account.metadata;
  const claims = {
    aud: meant,
    exp,
    sub: accountUserName(namespace, name),
    'kubernetes.io': { namespace, serviceaccount: { name, uid }, ...bound },
  };
  const token = await core.tokens.issue(claims, core.random.uid());
  const answer = {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name, namespace, uid, creationTimestamp: objectTime(core.clock.now()) },
    spec: { audiences: meant, expirationSeconds, boundObjectRef: boundObjectRef ?? null },
    status: { token, expirationTimestamp: objectTime(exp * 1000) },
  };
  return jsonAnswer(201, valuePayload(answer), warnings);
}

function validateSeconds(seconds: number): FieldError[] {
  const refuse = (detail: string): FieldError[] => [
    { type: 'Invalid', field: 'spec.expirationSeconds', value: seconds, detail },
  ];
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

const tokenRequestKind = bodyKind('authentication.k8s.io', 'v1', 'TokenRequest', 'authentication.v1.TokenRequest');
