import { createHash } from 'node:crypto';
import type { ApiAnswer } from '@slipway/api-server/request/request';
import type { ApiServer } from '@slipway/api-server/server';
import { stringifyJson } from '@slipway/kube';

/** All that was written to an API server, with its answers, in the order in which they were given. */
export class Writes {
  readonly #all: string[] = [];

  /** The same server, writes to it noted. */
  noticing(api: ApiServer): ApiServer {
    const handle: ApiServer['handle'] = (request) => {
      const answered = api.handle(request);
      if (request.method === 'GET') return answered;
      const note = ({ status, payload }: ApiAnswer) => {
        const body = payload?.kind === 'json' ? stringifyJson(payload.json.value()) : '';
        this.#all.push(`${request.method} ${request.path} by ${request.user?.name}: ${status} ${body}`);
      };
      // Beside the way of the answer, so that a late answer is not unnoticed.
      answered.then(note, () => {});
      return answered;
    };
    return { ...api, handle };
  }

  /** One text that stands for all of them. */
  digest(): string {
    const hash = createHash('sha256');
    for (const write of this.#all) hash.update(write);
    return hash.digest('hex');
  }

  /** The first write that is not the same in `others`: its number, and both from shortly before they part; undefined when all are. */
  firstUnlike(others: Writes): readonly [number, string, string] | undefined {
    const at = this.#all.findIndex((write, index) => write !== others.#all[index]);
    if (at < 0 && this.#all.length === others.#all.length) return undefined;
    const [own = '', other = ''] = [this.#all.at(at), others.#all[at < 0 ? this.#all.length : at]];
    const parts = [...own].findIndex((letter, index) => letter !== other[index]);
    const from = Math.max(0, parts - 200);
    return [at, `${own.slice(0, 100)} ... ${own.slice(from, from + 400)}`, other.slice(from, from + 400)];
  }
}
