import type { ContainerTimes } from './pod-timeline.js';

/**
 * The timeline of a pod of which some containers cannot be made; those that could not and now can are made at `atMs`.
 * It has to be arranged before it is read: when the changed ones have their images is left open.
 * @param problems why not, by name
 */
export function withHeldBack(
  timeline: readonly ContainerTimes[],
  problems: ReadonlyMap<string, string>,
  atMs: number,
): readonly ContainerTimes[] {
  const changed = timeline.map((times): ContainerTimes => {
    const why = problems.get(times.container.name);
    const untilMs = why === undefined ? atMs : Number.POSITIVE_INFINITY;
    const isHeld = times.held?.untilMs === Number.POSITIVE_INFINITY;
    if (why === undefined ? !isHeld : isHeld && times.held?.why === why) return times;
    return { ...times, imageFromMs: Number.POSITIVE_INFINITY, held: { why: why ?? '', untilMs } };
  });
  return changed.every((times, index) => times === timeline[index]) ? timeline : changed;
}

/** Why a container is not made at this moment; undefined when it is, or waits for something else. */
export function whyHeldBack({ held, pulledAtMs }: ContainerTimes, elapsedMs: number): string | undefined {
  return held && pulledAtMs <= elapsedMs && held.untilMs > elapsedMs ? held.why : undefined;
}
