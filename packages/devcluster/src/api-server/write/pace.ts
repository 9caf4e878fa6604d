import { othersTurn } from '../../event-loop/others-turn.js';
import { inSlices } from '../../event-loop/slices.js';
import { atOnce, type Work } from '../../event-loop/work.js';
import type { Entry } from '../../storage/store.js';
import type { Call } from '../core.js';

/** How the steps of a write follow one another. Undefined, or a result that is no promise: without a rest. */
export interface Pace {
  /** What to wait for between two steps. */
  rest(): Promise<void> | undefined;
  /** Does a step that may rest. */
  finish<Result>(work: Work<Result>): Result | Promise<Result>;
}

/** Bodies of more bytes hold so much that every step of a write takes milliseconds. */
const mostSent = 128 * 1024;
/** The same for objects that are there; writers of these meet, and who rests is overtaken more often. */
const mostStored = 512 * 1024;

const steady: Pace = { rest: () => undefined, finish: atOnce };
const resting: Pace = { rest: othersTurn, finish: (work) => inSlices(work) };

/**
 * The steps of a write of a large body, or to a large object, let others have their turn in between. All others follow
 * at once, so that nothing comes between them and the store.
 */
export function paceOf({ request: { body } }: Pick<Call, 'request'>, stored?: Pick<Entry, 'size'>): Pace {
  const isLarge = body && 'bytes' in body && body.bytes.length > mostSent;
  return isLarge || (stored?.size ?? 0) > mostStored ? resting : steady;
}
