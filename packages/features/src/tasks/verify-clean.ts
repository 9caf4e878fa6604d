import { reachOf } from '../api/scope.js';
import { waivedObjects } from '../lifecycle/waived-uses.js';
import { referencesOf } from '../references/embedding.js';
import { scanReferences } from '../references/scan.js';
import { disagreement } from './disagreement.js';
import { letBe } from './let-be.js';
import { paceOf } from './pace.js';
import type { Task } from './task.js';

/** Time between two scans that both have to find nothing. */
const defaultGapMs = 5_000;

/**
 * Proves that nothing uses the feature any more: every process still agrees, and
 * two complete scans in a row, some time apart, find no use. The second sees
 * writes that were under way during the first, and processes that came back meanwhile.
 */
export function verifyClean(gapMs = defaultGapMs): Task {
  return {
    kind: 'VerifyClean',
    readOnly: true,
    async run({ kube, clock, feature, definition, transition, task, uses, signal }) {
      const references = referencesOf(definition);
      if (references.length === 0) return { kind: 'done', result: 'Skipped' };
      // Until then a write that the guard was not asked about may still come through.
      const openMs = Date.parse(feature.status?.guard?.activeSince ?? '') - clock.now();
      if (openMs > 0) {
        const message = 'writes that were let in before the guard was in force may still come through';
        return { kind: 'waiting', reason: 'GuardSettling', message, retryAfterMs: openMs };
      }
      const { pageSize } = paceOf(feature.spec);
      const { gate, waivers, uses: policy = {} } = feature.spec;
      const nowMs = clock.now();
      const waived = waivedObjects(waivers, nowMs);
      const namespace = reachOf(definition, feature.metadata.namespace);
      const dangling = await scanReferences({ kube, references, namespace, pageSize, nowMs, signal, waived });
      if (dangling.count > (dangling.waived ?? 0)) return { kind: 'found', dangling };
      if (!dangling.complete) {
        const message = 'a list expired while it was read';
        return { kind: 'waiting', reason: 'Retrying', message, retryAfterMs: 1_000, checkpoint: '', dangling };
      }
      const proceeded = transition.completed.some(({ kind, result }) => kind === 'WaitForUses' && result === 'Waived');
      const isLenient = proceeded && policy.stragglerAction === 'Proceed';
      const open = disagreement(uses(), transition.to, gate, isLenient ? policy.maxSilent : 0);
      if (open) return { kind: 'waiting', ...open, retryAfterMs: 2_000, checkpoint: '', dangling };
      const sinceMs = Date.parse(task.checkpoint ?? '');
      const restMs = Number.isNaN(sinceMs) ? gapMs : sinceMs + gapMs - clock.now();
      if (restMs <= 0) return { kind: 'done', dangling, ...(dangling.waived && letBe(dangling.waived, waived)) };
      return {
        kind: 'waiting',
        reason: 'Confirming',
        message: 'a first scan found no use',
        retryAfterMs: restMs,
        checkpoint: Number.isNaN(sinceMs) ? new Date(clock.now()).toISOString() : (task.checkpoint ?? ''),
        dangling,
      };
    },
  };
}
