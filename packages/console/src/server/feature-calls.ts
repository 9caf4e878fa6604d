import type { Kube } from '@slipway/kube';
import { type Deed, pauseFeature, planDeed } from '../actions/feature-plan.js';
import { backupsOf, restoreValues } from '../actions/restore-values.js';
import { type ApiCall, CallError, type Calls, refOf, sendJson, textOf } from './calls.js';
import { safeJson } from './safe-json.js';

/** The calls of pages about one feature, by method and path. */
export function featureCalls(kube: Kube): Calls {
  return {
    'GET /api/feature/plan': async (call) => {
      const { document } = await planDeed(kube, refOf(call), deedOf(call), call.signal);
      sendJson(call.response, 200, document);
    },
    'POST /api/feature/do': async (call) => {
      const { document, carryOut } = await planDeed(kube, refOf(call), deedOf(call), call.signal);
      // Consent is to what was shown, whatever has changed since.
      if (document.shown !== textOf(call, 'shown')) return sendJson(call.response, 409, { plan: document });
      if (document.needsConsent && call.body?.agreedTo !== document.agreeTo)
        throw new CallError('the number of objects was not agreed to');
      await carryOut(call.signal);
      sendJson(call.response, 200, {});
    },
    'POST /api/feature/pause': async (call) => {
      await pauseFeature(kube, refOf(call), call.body?.paused === true, call.signal);
      sendJson(call.response, 200, {});
    },
    'GET /api/feature/backups': async (call) => {
      const { namespace, name } = refOf(call);
      sendJson(call.response, 200, { backups: await backupsOf(kube, { namespace, feature: name }, call.signal) });
    },
    'POST /api/feature/restore': async (call) => {
      const { namespace, name } = refOf(call);
      const which = { namespace, feature: name, transition: textOf(call, 'transition') };
      const { response } = call;
      const ended = new AbortController();
      response.once('close', () => ended.abort());
      const signal = AbortSignal.any([call.signal, ended.signal]);
      const report = (message: unknown) => {
        if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/x-ndjson' });
        response.write(`${safeJson(message)}\n`);
      };
      await restoreValues(kube, which, report, signal);
      response.end();
    },
  };
}

function deedOf(call: ApiCall): Deed {
  const deed = textOf(call, 'deed');
  if (deed === 'On' || deed === 'Off' || deed === 'Approve') return deed;
  throw new CallError(`there is nothing that is called ${deed}`);
}
