import { freezing } from '@slipway/api-machinery/event-loop/freezing';
import type { Resumable } from '@slipway/api-machinery/event-loop/resumable';
import { runInSlices, startInSlices } from '@slipway/api-machinery/event-loop/run-in-slices';
import { yieldToEventLoop } from '@slipway/api-machinery/event-loop/yield-to-event-loop';
import type { KubeObject } from '@slipway/kube';
import { encodingParts } from '@slipway/object-store/part-texts';
import type { Entry } from '@slipway/object-store/store';
import type { Call } from '../core/core.js';
import { grownByDefaults } from '../crd/room-for-defaults.js';
import { lengthOfCopied } from '../request/json-copy.js';

/** How the steps of a write follow one another. Undefined, or a result that is not a promise: without a yield. */
export interface Pace {
  /** What to wait for between two steps. */
  rest(): Promise<void> | undefined;
  /** Does a step that may rest. */
  finish<Result>(work: Resumable<Result>): Result | Promise<Result>;
  /** Parses a large stored object before it is used. */
  parse(stored: Pick<Entry, 'parsing'>): Promise<void> | undefined;
  /** Freezes and encodes a large object before it is stored, so that it need not be parsed again. */
  settle(object: KubeObject): Promise<void> | undefined;
}

/** Bodies of more bytes hold so much that every step of a write takes milliseconds. */
const maxSent = 128 * 1024;
/** The same for objects that are there; writers of these meet, and who rests is overtaken more often. */
const maxStored = 512 * 1024;

const steady: Pace = { rest: () => undefined, finish: startInSlices, parse: () => undefined, settle: () => undefined };
const resting: Pace = {
  rest: yieldToEventLoop,
  finish: (work) => runInSlices(work),
  parse: (stored) => runInSlices(stored.parsing()),
  async settle(object) {
    await yieldToEventLoop();
    await runInSlices(freezing(object));
    await runInSlices(encodingParts(object));
    await yieldToEventLoop();
  },
};

/**
 * The steps of a write of a large body, or to a large object, let others have their turn in between. All others follow
 * at once, so that nothing comes between them and the store.
 * @param written what the body became, which defaults may have made large
 */
export function paceOf(
  { request: { body } }: Pick<Call, 'request'>,
  stored?: Pick<Entry, 'size'>,
  written?: KubeObject,
): Pace {
  // Of a value that is handed over in process this is known once it was copied.
  const isLarge = body && ('bytes' in body ? body.bytes.length : (lengthOfCopied(body.value) ?? 0)) > maxSent;
  const isGrown = written !== undefined && grownByDefaults(written) > maxSent;
  return isLarge || isGrown || (stored?.size ?? 0) > maxStored ? resting : steady;
}
