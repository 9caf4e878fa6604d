/** Pods after one that is not ready (`?`) became so, or one that is terminating (`~`) ended. */
export function afterChance<P extends { state: '' | '?' | '~' }>(pods: P[], pick: number): P[] {
  const moving = pods.filter(({ state }) => state !== '');
  const pod = moving[pick % Math.max(1, moving.length)];
  if (pod?.state !== '?') return pods.filter((other) => other !== pod);
  pod.state = '';
  return pods;
}
