import { WishError } from '@slipway/balloons';
import { type Kube, QuantityError } from '@slipway/kube';
import { type AskedSize, askForSize, planSizeOf } from '../actions/node-size.js';
import type { NodeSources } from '../feeds/node-sources.js';
import { type ApiCall, CallError, type Calls, sendJson, textOf } from './calls.js';

/** The calls of pages about one node, by method and path. */
export function nodeCalls(kube: Kube, sources: NodeSources): Calls {
  const observedFor = (call: ApiCall) => {
    const observed = sources.isKnown ? sources.observed(textOf(call, 'name')) : undefined;
    if (!observed) throw new CallError('this node does not exist');
    return observed;
  };
  return {
    'GET /api/node/plan': async (call) => {
      sendJson(
        call.response,
        200,
        readable(() => planSizeOf(observedFor(call), sizeOf(call))),
      );
    },
    'POST /api/node/size': async (call) => {
      const observed = observedFor(call);
      const asked = sizeOf(call);
      const plan = readable(() => planSizeOf(observed, asked));
      // The controller would refuse it, too: it is said before anything is written.
      if (plan.kind === 'resize') await askForSize(kube, observed, asked, call.signal);
      sendJson(call.response, 200, plan);
    },
  };
}

function sizeOf(call: ApiCall): AskedSize {
  const isFull = (call.body?.full ?? call.query.get('full')) === 'true';
  return isFull ? 'full' : { cpu: textOf(call, 'cpu'), memory: textOf(call, 'memory') };
}

/** @throws CallError for a size that cannot be read */
function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof QuantityError || error instanceof WishError) throw new CallError(error.message);
    throw error;
  }
}
