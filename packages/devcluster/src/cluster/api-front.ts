import type { ApiServer } from '../api-server/server.js';

/** What connections and transports talk to: the API server that runs now, whichever run of it that is. */
export interface ApiFront extends ApiServer {
  /** Lets another run answer from here on, then ends the watches of the one before. */
  switchTo(next: ApiServer): void;
}

/** A front without a server yet. Clients of it live through restarts of the API server; only their watches end. */
export function apiFront(): ApiFront {
  let current: ApiServer | undefined;
  const server = () => {
    if (!current) throw new Error('the API server has not been started');
    return current;
  };
  return {
    get definitions() {
      return server().definitions;
    },
    get version() {
      return server().version;
    },
    async handle(request) {
      return current ? await current.handle(request) : { status: 503, headers: { 'retry-after': '1' } };
    },
    drain: () => current?.drain(),
    switchTo(next) {
      const before = current;
      current = next;
      before?.drain();
    },
  };
}
