import type { GateTransport } from './transport.js';

/**
 * The transport of a process in a pod, loaded with the first request: programs that bring their own, or report
 * nothing, do without HTTPS and files.
 */
export function transportOfThisPod(): GateTransport {
  let loading: Promise<GateTransport> | undefined;
  const loaded = () => {
    loading ??= import('./in-cluster-transport.js').then(({ inClusterTransport }) => inClusterTransport());
    return loading;
  };
  return {
    request: async (request) => (await loaded()).request(request),
    async *stream(request, signal) {
      yield* (await loaded()).stream?.(request, signal) ?? [];
    },
  };
}
