import { yieldToEventLoop } from '@slipway/api-machinery/event-loop/yield-to-event-loop';

/** Writes shown in one turn of the event loop; each sets off an answer and the events of watches. */
const shownAtOnce = 4;
/** Characters of an object that is shown in a turn of its own: those who watch take milliseconds to read it. */
const shownAlone = 256 * 1024;

/** A write as far as it matters how long others are busy with it. */
export interface ShownWrite {
  readonly entry: { readonly size: number };
}

/** Shows many writes a few at a time, in order: whoever waits for them answers in the same turn of the event loop. */
export async function showInTurns<Write extends ShownWrite>(
  batch: readonly Write[],
  show: (writes: readonly Write[]) => void,
): Promise<void> {
  let to: number;
  for (let from = 0; from < batch.length; from = to) {
    to = groupEnd(batch, from);
    if (from > 0 || isLarge(batch[from] as Write)) await yieldToEventLoop();
    show(batch.slice(from, to));
  }
}

/** Where the writes end that are shown together with the one at `from`. */
function groupEnd(batch: readonly ShownWrite[], from: number): number {
  let to = from + 1;
  if (isLarge(batch[from] as ShownWrite)) return to;
  while (to < batch.length && to - from < shownAtOnce && !isLarge(batch[to] as ShownWrite)) to += 1;
  return to;
}

function isLarge({ entry }: ShownWrite): boolean {
  return entry.size > shownAlone;
}
