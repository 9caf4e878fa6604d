import { conflict, methodNotSupported, statusError } from '@slipway/api-machinery/errors/status-errors';
import { objectTime } from '@slipway/api-machinery/json/write/object-time';
import type { KubeObject, Status } from '@slipway/kube';
import type { Call, Core } from '../core/core.js';
import { copyJson } from '../request/json-copy.js';
import type { ApiAnswer } from '../request/request.js';
import { readWriteOptions } from '../request/write-options.js';
import { jsonAnswer } from '../response/answers.js';
import { valuePayload } from '../response/payloads.js';
import { admitBody } from '../write/admission-attributes.js';
import { decodeObject } from '../write/body.js';
import { updateObject } from '../write/update-object.js';
import { bodyKind } from './body-kind.js';

/** POST of a `Binding`: puts a pod on a node, once. */
export async function bind(core: Core, call: Call): Promise<ApiAnswer> {
  if (call.request.method !== 'POST') throw methodNotSupported(call.definition, call.request.method.toLowerCase());
  const options = readWriteOptions(call.query, 'CreateOptions');
  const { body, headers } = call.request;
  const { object: binding, warnings } = decodeObject(
    bindingKind,
    body,
    headers['content-type'],
    options.fieldValidation,
  );
  const node: unknown = binding.target?.name;
  if (typeof node !== 'string' || node === '') {
    throw statusError(500, undefined, 'target.name: Required value');
  }
  // The address names the pod, or, of the collection of bindings, the body.
  const named = { ...call, name: call.name || (binding.metadata.name ?? '') };
  const admitted = await admitBody(core, named, bindingKind, binding, options.dryRun);
  await updateObject(core, admitted, {
    make: (pod) => bound(core, pod, binding, node),
    dryRun: options.dryRun,
    mayOmitVersion: true,
    uidIsPrecondition: true,
  });
  const done: Status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
  return jsonAnswer(201, valuePayload(done), warnings);
}

function bound(core: Core, pod: KubeObject, binding: KubeObject, node: string): KubeObject {
  const { name = '', deletionTimestamp } = pod.metadata;
  const refuse = (why: string) => conflict({ group: '', plural: 'pods/binding' }, name, why);
  if (binding.metadata.uid && binding.metadata.uid !== pod.metadata.uid) {
    throw refuse(
      `Precondition failed: UID in precondition: ${binding.metadata.uid}, UID in object meta: ${pod.metadata.uid}`,
    );
  }
  if (deletionTimestamp) throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  if (pod.spec?.nodeName) throw refuse(`pod ${name} is already assigned to node "${pod.spec.nodeName}"`);
  if (pod.spec?.schedulingGates?.length > 0) throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  const object = copyJson(pod);
  object.spec.nodeName = node;
  object.metadata.annotations = { ...object.metadata.annotations, ...binding.metadata.annotations };
  const others = (object.status?.conditions ?? []).filter(
    (condition: { type: string }) => condition.type !== 'PodScheduled',
  );
  const scheduled = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: objectTime(core.clock.now()),
  };
  object.status ??= {};
  object.status.conditions = [...others, scheduled];
  return object;
}

const bindingKind = bodyKind('', 'v1', 'Binding', 'core.v1.Binding');
