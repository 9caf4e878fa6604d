import { ConfigurationError, limitOf } from '@slipway/image-pulls';
import { pastPullsOfJournal, pullOutlook } from '../actions/pull-outlook.js';
import type { Limiter } from '../feeds/limiter.js';
import type { PullSources } from '../feeds/pull-sources.js';
import { type ApiCall, CallError, type Calls, sendJson, textOf } from './calls.js';

/** Longest time for which a limit is set by hand. */
const maxForMs = 24 * 3_600_000;

/** Finds the limiter that a call names. @throws CallError */
export function limiterOf(limiters: readonly Limiter[], call: ApiCall): Limiter {
  const name = textOf(call, 'limiter');
  const limiter = limiters.find(({ address }) => address.name === name);
  if (!limiter) throw new CallError('this limiter is not known to the console');
  return limiter;
}

/** The calls of pages about image pulls, by method and path. */
export function pullCalls(sources: PullSources, limiters: readonly Limiter[]): Calls {
  return {
    'GET /api/pulls/outlook': async (call) => {
      const node = call.query.get('node');
      if (node !== null) {
        if (!sources.isKnown) throw new CallError('the events of this node are not known yet');
        return sendJson(call.response, 200, pullOutlook(sources.past(node)));
      }
      const { journal } = limiterOf(limiters, call).address;
      if (journal === undefined) throw new CallError('this limiter has no journal that the console may read');
      sendJson(call.response, 200, pullOutlook(pastPullsOfJournal(journal)));
    },
    'POST /api/pulls/limit': async (call) => {
      const { limit } = await limiterOf(limiters, call).admin.setLimit(limitIn(call), forMsIn(call));
      sendJson(call.response, 200, { limit });
    },
    'POST /api/pulls/pause': async (call) => {
      const { admin } = limiterOf(limiters, call);
      const { paused } = await (call.body?.paused === true ? admin.pause() : admin.resume());
      sendJson(call.response, 200, { paused });
    },
    'POST /api/pulls/drop': async (call) => {
      sendJson(call.response, 200, await limiterOf(limiters, call).admin.drop(textOf(call, 'image')));
    },
  };
}

/** @throws CallError when it cannot be read */
function limitIn(call: ApiCall): number {
  try {
    return limitOf(textOf(call, 'limit'));
  } catch (error) {
    if (error instanceof ConfigurationError) throw new CallError(error.message);
    throw error;
  }
}

function forMsIn({ body }: ApiCall): number | undefined {
  const forMs = body?.forMs;
  if (forMs === undefined) return undefined;
  if (typeof forMs !== 'number' || !(forMs > 0) || forMs > maxForMs) throw new CallError('forMs is not within a day');
  return forMs;
}
