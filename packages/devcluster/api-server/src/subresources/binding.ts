import { invalidBecause } from '@slipway/api-machinery/errors/field-checks';
import { notSupported, required } from '@slipway/api-machinery/errors/field-error';
import { fieldErrorBody } from '@slipway/api-machinery/errors/field-errors';
import { subdomainProblems } from '@slipway/api-machinery/errors/names';
import { badRequest, conflict, methodNotSupported, statusError } from '@slipway/api-machinery/errors/status-errors';
import { objectTime } from '@slipway/api-machinery/json/write/object-time';
import { minorOf } from '@slipway/api-machinery/schema/supported-versions';
import { copyWith, type KubeObject, type Status } from '@slipway/kube';
import { aggregate } from '../auth/rbac/rbac-authorizer.js';
import type { Call, Core } from '../core/core.js';
import { copyJson } from '../request/json-copy.js';
import type { ApiAnswer } from '../request/request.js';
import { jsonAnswer } from '../response/answers.js';
import { valuePayload } from '../response/payloads.js';
import { admitBody } from '../write/admission-attributes.js';
import { otherUid, otherVersion } from '../write/storage-key.js';
import { updateObject } from '../write/update-object.js';
import { bodyKind } from './body-kind.js';
import { readPartBody } from './part-body.js';

/**
 * POST of a `Binding`: puts a pod on a node, once.
 * @param asked the call as admission sees it
 */
export async function bind(core: Core, call: Call, asked: Call = call): Promise<ApiAnswer> {
  if (call.request.method !== 'POST') throw methodNotSupported(call.definition, call.request.method.toLowerCase());
  // The address names the pod, or, of the collection of bindings, the body.
  const isNamed = call.name !== '';
  const { object: binding, dryRun } = readPartBody(core, call, bindingKind, isNamed ? 'kept' : 'cleared');
  const named = isNamed ? call : { ...call, name: binding.metadata.name ?? '' };
  if (named.name === '') throw badRequest('Name parameter required.');
  if (binding.metadata.name !== named.name) throw badRequest('name in URL does not match name in Binding object');
  const problems = validateTarget(binding, core.version);
  if (problems.length > 0) throw statusError(500, undefined, aggregate(problems));
  await admitBody(core, { ...asked, name: named.name }, bindingKind, binding, dryRun);
  await updateObject(core, copyWith(named, { isAdmitted: true }), {
    make: (pod) => {
      requirePreconditions(core, named, binding, pod, dryRun);
      return bound(core, pod, binding);
    },
    dryRun,
    mayOmitVersion: true,
    uidIsPrecondition: true,
  });
  const done: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
  return jsonAnswer(201, valuePayload(done));
}

function validateTarget({ target }: KubeObject, version: string): readonly string[] {
  const { kind = '', name = '' } = target ?? {};
  const isNode = kind === '' || kind === 'Node';
  const errors = isNode ? [] : [notSupported('target.kind', kind, ['Node', '<empty>'])];
  if (name === '') errors.push(required('target.name'));
  else if (isNode && minorOf(version) >= 37)
    errors.push(...invalidBecause('target.name', name, subdomainProblems(name)));
  return errors.map((error) => `${error.field}: ${fieldErrorBody(error)}`);
}

function requirePreconditions(core: Core, call: Call, binding: KubeObject, pod: KubeObject, dryRun: boolean): void {
  const { uid, resourceVersion } = binding.metadata;
  const { metadata } = pod;
  if (uid && uid !== metadata.uid)
    throw conflict(call.definition, call.name, otherUid(core, call, uid, metadata.uid, dryRun));
  if (resourceVersion && resourceVersion !== metadata.resourceVersion)
    throw conflict(
      call.definition,
      call.name,
      otherVersion(core, call, resourceVersion, metadata.resourceVersion, dryRun),
    );
}

function bound(core: Core, pod: KubeObject, { metadata, target }: KubeObject): KubeObject {
  const { name = '', deletionTimestamp } = pod.metadata;
  const refuse = (why: string) => conflict({ group: '', plural: 'pods/binding' }, name, why);
  if (deletionTimestamp) throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (pod.spec?.nodeName) throw refuse(`pod ${name} is already assigned to node "${pod.spec.nodeName}"`);
  if (pod.spec?.schedulingGates?.length > 0) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  const object = copyJson(pod);
  object.spec.nodeName = target.name;
  if (metadata.annotations) object.metadata.annotations = { ...object.metadata.annotations, ...metadata.annotations };
  object.status ??= {};
  if (minorOf(core.version) >= 35) {
    if (metadata.labels) object.metadata.labels = { ...object.metadata.labels, ...metadata.labels };
    delete object.status.nominatedNodeName;
  }
  const others = (object.status.conditions ?? []).filter(
    (condition: { type: string }) => condition.type !== 'PodScheduled',
  );
  const scheduled = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: objectTime(core.clock.now()),
  };
  object.status.conditions = [...others, scheduled];
  return object;
}

const bindingKind = bodyKind('', 'v1', 'Binding', 'core.v1.Binding');
