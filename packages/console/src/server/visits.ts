import type { Kube } from '@slipway/kube';
import type { ConsoleApi } from './api.js';

/** With whose rights a session asks; sessions that share them share what they follow. */
export interface Visit {
  readonly kube: Kube;
  readonly isShared: boolean;
}

/** What answers each session, made when it begins. */
export class Visits {
  readonly #load: (visit: Visit) => Promise<ConsoleApi>;
  readonly #visits = new Map<string, Visit>();
  readonly #apis = new Map<Kube, Promise<ConsoleApi>>();

  constructor(load: (visit: Visit) => Promise<ConsoleApi>) {
    this.#load = load;
  }

  begin(session: string, visit: Visit): void {
    this.#visits.set(session, visit);
    void this.api(session).catch(() => {});
  }

  /** @throws RangeError for a session that did not begin */
  async api(session: string): Promise<ConsoleApi> {
    const visit = this.#visits.get(session);
    if (!visit) throw new RangeError('this session did not begin');
    const loading = this.#apis.get(visit.kube) ?? this.#load(visit);
    this.#apis.set(visit.kube, loading);
    return await loading;
  }

  /** Forgets the rights of a session, and what followed the cluster with them. */
  end(session: string): void {
    const visit = this.#visits.get(session);
    this.#visits.delete(session);
    if (!visit || visit.isShared) return;
    const loading = this.#apis.get(visit.kube);
    this.#apis.delete(visit.kube);
    void loading?.then((api) => api.close());
  }

  async close(): Promise<void> {
    await Promise.all([...this.#apis.values()].map(async (loading) => (await loading).close()));
  }
}
