import type { DanglingSample, Feature, PastTransition, ServerLiveness } from '@slipway/features';
import { renderAge } from '../../../output/duration.js';
import { renderTable } from '../../../output/table.js';
import { describeTasks } from './describe-tasks.js';
import { describeComponents, describeWaivers } from './describe-uses.js';
import { nextStep } from './next-step.js';

/** One feature as text: what it is, who runs which value, what was done and what comes next. */
export function describeFeature(feature: Feature, nowMs: number, servers: ServerLiveness): string {
  const { metadata, spec, status } = feature;
  const effective = status?.effective;
  const work = status?.transition ?? status?.maintenance;
  const head: [string, string | undefined][] = [
    ['Gate', spec.gate],
    ['Namespace', metadata.namespace],
    [
      'Stage',
      effective &&
        `${effective.stage}, ${effective.default ? 'on' : 'off'} by default${effective.locked ? ', locked' : ''}`,
    ],
    ['State', `${status?.summary?.state ?? status?.state ?? 'Unknown'}${since(status?.stateSince, nowMs)}`],
    ['Desired', `${spec.desired ?? 'Unmanaged'}${spec.paused ? ' (paused)' : ''}`],
    ['Mode', modeText(feature)],
    ['Configured', status?.summary?.configured],
    ['Uses', status?.summary?.uses],
    ['Dangling', status?.summary?.dangling],
    ['Consent', consentText(feature)],
  ];
  const sections = [
    head.map(([name, value]) => (value ? `${`${name}:`.padEnd(13)}${value}\n` : '')).join(''),
    describeComponents(status?.uses?.components ?? []),
    describeWaivers(spec.waivers ?? [], nowMs),
    describeTasks(work?.completed ?? [], work?.tasks ?? [], nowMs),
    passedOver(status?.history?.[0]),
    dangling(status?.dangling?.samples ?? []),
    conditions(status?.conditions ?? []),
    nextStep(feature, servers),
  ];
  return sections.filter((section) => section !== '').join('\n');
}

/** Who sets it, and what processes are told; with rules while a canary is on its way. */
function modeText({ spec: { mode = 'Follow' }, status }: Feature): string {
  const { published } = status ?? {};
  if (!published) return mode;
  const of = published.authority === undefined ? '' : `, the flag of ${published.authority}`;
  const told = (published.rules ?? []).map(
    ({ value, percent, selector }) =>
      `, ${value} for ${percent === undefined ? JSON.stringify(selector?.matchLabels) : `${percent} %`}`,
  );
  return `${mode}: ${published.value} is published${of}${told.join('')}`;
}

/** Until when the consent to what is under way holds, or why it does not any more. */
function consentText({ spec: { consent }, status }: Feature): string | undefined {
  const work = status?.transition ?? status?.maintenance;
  if (!consent || !work || work.tasks.length === 0 || consent.plan !== work.plan) return undefined;
  if (status?.withdrawnConsent) return `withdrawn: ${status.withdrawnConsent.why}`;
  const objects = consent.objects.map(({ task, count }) => `, ${count} objects of ${task}`);
  return `until ${consent.expires}${objects.join('')}`;
}

function since(time: string | undefined, nowMs: number): string {
  return time ? ` for ${renderAge(time, nowMs)}` : '';
}

/** Whom or what the last transition left behind. */
function passedOver(last: PastTransition | undefined): string {
  return last?.note === undefined ? '' : `Passed over when it was turned ${last.to.toLowerCase()}:\n  ${last.note}\n`;
}

/** Copies of old values are named apart: they are no use, but a rollback or an apply can bring them back. */
function dangling(samples: readonly DanglingSample[]): string {
  const uses = samples.filter(({ via }) => via === 'Spec');
  const copies = samples.filter(({ via }) => via !== 'Spec');
  const lines = (all: readonly DanglingSample[]) =>
    all.map(({ resource, namespace, name, path, via }) => {
      const where =
        via === 'LastApplied' ? ' (what kubectl applied last)' : via === 'Derived' ? ' (an old revision)' : '';
      return `  ${resource} ${namespace ? `${namespace}/` : ''}${name}: ${path}${where}\n`;
    });
  return [
    uses.length > 0 ? `Objects that still use it:\n${lines(uses).join('')}` : '',
    copies.length > 0 ? `Copies of old values, which do not count:\n${lines(copies).join('')}` : '',
  ].join('');
}

function conditions(all: readonly { type: string; status: string; reason: string; message: string }[]): string {
  if (all.length === 0) return '';
  const table = renderTable(
    all,
    [
      { heading: 'CONDITION', cell: ({ type }) => type },
      { heading: 'STATUS', cell: ({ status }) => status },
      { heading: 'REASON', cell: ({ reason }) => reason },
      { heading: 'MESSAGE', weight: 9, cell: ({ message }) => message },
    ],
    { indent: 2 },
  );
  return `Conditions:\n${table}`;
}
