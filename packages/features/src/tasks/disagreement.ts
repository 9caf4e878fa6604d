import type { Waiver } from '../api/feature.js';
import type { Target } from '../api/target.js';
import type { ComponentUses, ProcessSample } from '../api/uses-status.js';
import { agreesButForWaived } from '../lifecycle/agreement.js';
import type { UseCounts } from '../uses/count-uses.js';
import { remedies } from '../uses/remedies.js';

/** A status shows no more of a message. */
const mostText = 512;

/** Who of the required components does not run a value, and why. */
export interface Disagreement {
  readonly reason: 'OldValueInUse' | 'Silent';
  /** Names processes, with the remedy where one is known. */
  readonly message: string;
}

/**
 * Undefined when every process that should report has reported `to`, or is waived. Silence is
 * not agreement; up to `maxSilent` silent processes of each component are passed over when it is given.
 */
export function disagreement(
  uses: UseCounts,
  to: Target,
  gate: string,
  maxSilent?: number | string,
): Disagreement | undefined {
  const open = required(uses).filter(
    (component) => !agreesButForWaived(component, to) && !isPassable(component, to, maxSilent),
  );
  if (open.length === 0) return undefined;
  const causes = new Set(
    open.flatMap(({ samples }) => samples.flatMap(({ cause, waiver }) => (waiver ? [] : (cause ?? [])))),
  );
  const who = open.map((component) => whoIsMissing(component, to)).join('; ');
  const advice = [...causes].map((cause) => `. ${cause}: ${remedies[cause](gate, to)}`).join('');
  return {
    reason: open.some((component) => opposite(component, to) + component.unregistered > 0) ? 'OldValueInUse' : 'Silent',
    message: shortened(who, mostText - advice.length) + advice,
  };
}

/** Whether every process that is missing is out of reach, so that none will ever answer. */
export function onlyOutOfReach(uses: UseCounts, to: Target): boolean {
  return required(uses).every((component) => {
    const missing = component.expected - component.waived - matching(component, to);
    const outOfReach = component.samples.filter(({ cause, waiver }) => cause === 'OutOfReach' && !waiver);
    return component.expected > 0 && missing === outOfReach.length;
  });
}

/** Names are cut off rather than what to do about them. */
function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

/** Describes who was passed over although not every process runs `to`, and by which waiver; empty when all do. */
export function passedOver(uses: UseCounts, to: Target, waivers: readonly Waiver[] = []): string {
  const parts = required(uses).flatMap((component) => {
    const { name, waived, silent, samples } = component;
    const used = new Set(samples.flatMap(({ waiver }) => waiver ?? []));
    const leave = waivers.filter(({ id }) => used.has(id)).map(({ id, by, reason }) => `${id}, ${by}: ${reason}`);
    return [
      ...(waived > 0 ? [`${name}: ${named(samples.filter(({ waiver }) => waiver))} waived (${leave.join('; ')})`] : []),
      ...(silent > 0 && !agreesButForWaived(component, to)
        ? [`${name}: ${silent} silent, as maxSilent allows: ${named(samples.filter(({ waiver }) => !waiver))}`]
        : []),
    ];
  });
  return parts.join('; ');
}

function required({ components }: UseCounts): readonly ComponentUses[] {
  return components.filter((component) => component.required);
}

function matching({ on, off }: ComponentUses, to: Target): number {
  return to === 'On' ? on : off;
}

function opposite({ on, off }: ComponentUses, to: Target): number {
  return to === 'On' ? off : on;
}

/** No process reports another value, at least one reports `to`, and the silent ones are few enough. */
function isPassable(component: ComponentUses, to: Target, maxSilent: number | string = 0): boolean {
  const { expected, waived, silent } = component;
  const most =
    typeof maxSilent === 'number'
      ? maxSilent
      : maxSilent.endsWith('%')
        ? (expected * parseInt(maxSilent, 10)) / 100
        : Number(maxSilent);
  const said = matching(component, to);
  return said > 0 && said + waived + silent === expected && silent <= most;
}

/** `kubelet: 3 of 5000 not off (1.33.1: 2 on): n17 (on, ExplicitFlag), n18 (silent, NodeDown)`. */
function whoIsMissing(component: ComponentUses, to: Target): string {
  const { name, expected, waived, samples } = component;
  if (expected === 0) return `${name}: no process has reported`;
  const missing = expected - waived - matching(component, to);
  const old = to === 'On' ? 'off' : 'on';
  const versions = component.versions.flatMap((version) =>
    version[old] > 0 ? [`${version.v}: ${version[old]} ${old}`] : [],
  );
  const byVersion = versions.length > 0 ? ` (${versions.join(', ')})` : '';
  const who = named(samples.filter(({ waiver }) => !waiver));
  return `${name}: ${missing} of ${expected} not ${to.toLowerCase()}${byVersion}${who && `: ${who}`}`;
}

function named(samples: readonly ProcessSample[]): string {
  return samples.map(({ process, value, cause }) => `${process} (${value}${cause ? `, ${cause}` : ''})`).join(', ');
}
