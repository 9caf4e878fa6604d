import type { ApiHandler } from '@slipway/api-server/request/request';
import type { ApiServer } from '@slipway/api-server/server';

/** What connections and transports talk to: the run of an API server that answers now, if any does. */
export interface ApiFront extends ApiHandler {
  readonly isServing: boolean;
  /** Lets another run answer from here on, or none, then ends the watches of the one before. */
  switchTo(next: ApiServer | undefined): void;
}

/** A front without a server yet. Clients of it live through restarts of the API server; only their watches end. */
export function apiFront(): ApiFront {
  let current: ApiServer | undefined;
  return {
    get isServing() {
      return current !== undefined;
    },
    handle: async (request) => (await current?.handle(request)) ?? nobodyServes,
    isDenied: async (request) => (await current?.isDenied?.(request)) ?? false,
    switchTo(next) {
      const before = current;
      current = next;
      before?.drain();
    },
  };
}

/**
 * Sends each request to the first of several API servers that serves, as a load balancer
 * would. All clients use the same server for as long as it serves.
 */
export function firstServing(fronts: readonly ApiFront[]): ApiHandler {
  const serving = () => fronts.find(({ isServing }) => isServing);
  return {
    handle: async (request) => (await serving()?.handle(request)) ?? nobodyServes,
    isDenied: async (request) => (await serving()?.isDenied?.(request)) ?? false,
  };
}

const nobodyServes = { status: 503, headers: { 'retry-after': '1' } };
