import type { StatusFacts } from '../status/pod-status.js';

/** Facts of a pod of which nothing but its place is known. */
export function statusFacts(overrides: Partial<StatusFacts> = {}): StatusFacts {
  return {
    hostIP: '172.18.0.2',
    podIP: '10.128.0.2',
    profile: { observesGeneration: true, saysWhyNoSandbox: true },
    resourcesOf: () => ({}),
    waitingFor: () => undefined,
    isMounted: true,
    resize: [],
    ...overrides,
  };
}
