import type { KubeRequest, Transport } from '@slipway/kube';

/** Which component asked for the end of which pod, as far as the API server did it; and how much each writes. */
export class WhoWrote {
  readonly #ends = new Map<string, string>();
  #writes = new Map<string, number>();

  /**
   * How often each component wrote something since this was asked last. Events do not count: those that could not be
   * written in rough times come all at once afterwards, and how many there are of an object is bounded anyway.
   */
  takeWrites(): ReadonlyMap<string, number> {
    const writes = this.#writes;
    this.#writes = new Map();
    return writes;
  }

  /** Who had the pod with this UID deleted; undefined when it was no followed component. */
  whoEnded(uid: string): string | undefined {
    return this.#ends.get(uid);
  }

  /** Notes what goes through. */
  through(component: string, transport: Transport): Transport {
    const ends = this.#ends;
    const count = () => this.#writes.set(component, (this.#writes.get(component) ?? 0) + 1);
    return {
      async request(request) {
        if (request.method !== 'GET' && !isOfEvents(request)) count();
        const uid = endedUid(request);
        const isFirst = uid !== undefined && !ends.has(uid);
        // Noted before, since watches may tell sooner than the answer; forgotten when it did not come to it.
        if (isFirst) ends.set(uid, component);
        const answer = await transport.request(request);
        if (isFirst && answer.status >= 300) ends.delete(uid);
        return answer;
      },
      stream: (request, signal) => transport.stream(request, signal),
    };
  }
}

function isOfEvents({ path }: KubeRequest): boolean {
  return /\/events(\/|\?|$)/.test(path);
}

function endedUid({ method, path, body }: KubeRequest): string | undefined {
  if (method !== 'DELETE' || !/\/pods\/[^/]+$/.test(path.split('?')[0] ?? '')) return undefined;
  return (body as { preconditions?: { uid?: string } } | undefined)?.preconditions?.uid;
}
