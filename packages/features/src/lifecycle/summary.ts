import type { Dangling } from '../api/dangling.js';
import type { FeatureStatus, Summary } from '../api/feature.js';
import { workOf } from './maintenance.js';

/** The texts of the printer columns, so that kubectl shows what the command shows. */
export function summaryOf(status: FeatureStatus, referencesDeclared: boolean, blocked: string): Summary {
  const { state = 'Unknown', configured, dangling } = status;
  const shown = state === 'Off' || state === 'TurningOff' ? dangling : undefined;
  const head = workOf(status)?.tasks[0];
  const { done, total } = head?.progress ?? {};
  return {
    state: state === 'Off' && dangling && dangling.count > 0 ? `Off (${dangling.count} dangling)` : state,
    configured: configured ? `${configured.value} (${configured.source.toLowerCase()})` : '',
    uses: usesText(status),
    dangling: referencesDeclared ? (shown ? danglingText(shown) : '-') : 'n/a',
    blocked,
    next: head ? `${head.name}${done === undefined ? '' : ` ${done}${total === undefined ? '' : `/${total}`}`}` : '',
  };
}

/** A scan that did not see everything knows a lower bound, or nothing. */
function danglingText({ count, complete }: Dangling): string {
  return complete ? String(count) : count > 0 ? `${count}+` : '?';
}

/** `5/6 off`: how many of the processes that should report run the value that is wanted. */
function usesText({ uses, state, configured, transition }: FeatureStatus): string {
  if (!uses || uses.expected === 0) return 'none';
  const isOn = transition
    ? transition.to === 'On'
    : state === 'Unknown'
      ? (configured?.value ?? uses.on > 0)
      : state === 'On';
  const waived = uses.waived > 0 ? `, ${uses.waived} waived` : '';
  return `${isOn ? uses.on : uses.off}/${uses.expected} ${isOn ? 'on' : 'off'}${waived}`;
}
