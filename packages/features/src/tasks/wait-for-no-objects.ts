import type { TaskArgs } from '../api/feature.js';
import type { FeatureDefinitionSpec, Reference } from '../api/feature-definition.js';
import { reachOf } from '../api/scope.js';
import { waivedObjects } from '../lifecycle/waived-uses.js';
import { withEmbedded } from '../references/embedding.js';
import { referenceProblems } from '../references/reference-problems.js';
import { scanReferences } from '../references/scan.js';
import { declaredDefault } from '../references/used-field.js';
import { letBe } from './let-be.js';
import { paceOf } from './pace.js';
import type { Task } from './task.js';
import { argumentProblems } from './task-arguments.js';

/** Which objects must be gone, said as a reference is; `message` tells people what to do about them. */
export interface WaitForNoObjectsArgs extends Omit<Reference, 'default' | 'derived' | 'kind'> {
  readonly message?: string;
}

/**
 * Holds a transition until no object uses the feature any more, and deletes none:
 * for fields that cannot be cleared, such as the volumes of a running pod.
 */
export const waitForNoObjects: Task = {
  kind: 'WaitForNoObjects',
  readOnly: true,
  check: checkArguments,
  async run({ kube, clock, feature, definition, task, signal }) {
    const { message, ...field } = task.args as unknown as WaitForNoObjectsArgs;
    const reference = { ...field, default: declaredDefault(definition, field) };
    const references = withEmbedded(reference);
    const { pageSize } = paceOf(feature.spec);
    const nowMs = clock.now();
    const waived = waivedObjects(feature.spec.waivers, nowMs);
    const namespace = reachOf(definition, feature.metadata.namespace);
    const scan = { kube, references, namespace, pageSize, nowMs, signal, waived };
    const found = await scanReferences(scan);
    const remain = found.count - (found.waived ?? 0);
    if (remain === 0 && found.complete) {
      return { kind: 'done', objects: 0, ...(found.waived && { ...letBe(found.waived, waived), dangling: found }) };
    }
    if (remain === 0) {
      return { kind: 'waiting', reason: 'Retrying', message: 'a list expired while it was read', retryAfterMs: 1_000 };
    }
    const names = found.samples.map(({ namespace, name }) => (namespace ? `${namespace}/${name}` : name)).join(', ');
    return {
      kind: 'blocked',
      reason: 'ObjectsRemain',
      message: `${found.count} ${references.length > 1 ? 'objects' : reference.resource} use it: ${names}${message ? `. ${message}` : ''}`,
      // One page is cheap to look at; many are not.
      retryAfterMs: found.count < pageSize ? 5_000 : 60_000,
      progress: { done: 0, total: found.count, unit: reference.resource },
      dangling: found,
    };
  },
};

function checkArguments(args: TaskArgs, _definition: FeatureDefinitionSpec): readonly string[] {
  const problems = argumentProblems('WaitForNoObjects', args, {
    group: { type: 'text', required: true },
    resource: { type: 'text', required: true },
    path: { type: 'text' },
    embedded: { type: 'flag' },
    match: { type: 'list' },
    message: { type: 'text' },
  });
  return problems.length > 0 ? problems : referenceProblems({ kind: 'Object', ...(args as unknown as Reference) });
}
