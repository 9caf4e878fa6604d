import { checkUpgrade, kubernetesGates, observeUpgrade, type UpgradeVerdict } from '@slipway/features';
import { coverageInWords, verdictSentence } from '@slipway/features/views';
import type { Kube } from '@slipway/kube';
import { CallError, type Calls, sendJson, textOf } from './calls.js';

/** A verdict as its page shows it. */
export interface UpgradeDocument extends UpgradeVerdict {
  readonly sentence: string;
  /** What it rests on, and what it leaves open. */
  readonly restsOn: readonly string[];
}

/** The call of the page of upgrades, by method and path. */
export function upgradeCalls(kube: Kube): Calls {
  return {
    'GET /api/upgrade': async (call) => {
      const view = await observeUpgrade(kube, versionOf(textOf(call, 'to')), call.signal);
      if (view.from === view.to) throw new CallError(`the cluster already runs v${view.to}`);
      const verdict = checkUpgrade(view);
      sendJson(call.response, 200, {
        ...verdict,
        sentence: verdictSentence(verdict),
        restsOn: coverageInWords(verdict),
      });
    },
  };
}

/** Reads `v1.35`, `1.35` or `1.35.2`, within what is known. @throws CallError */
function versionOf(text: string): string {
  const minor = Number(/^v?1\.(\d{1,3})(?:\.\d+)?$/.exec(text.trim())?.[1] ?? Number.NaN);
  const newest = Number(kubernetesGates.newest.split('.')[1]);
  if (Number.isNaN(minor)) throw new CallError('a version looks like v1.35');
  if (minor < oldestMinor || minor > newest)
    throw new CallError(`gates are known from v1.${oldestMinor} to v1.${newest}`);
  return `1.${minor}`;
}

const oldestMinor = 33;
