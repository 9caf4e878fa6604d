import { type ComponentUses, type ProcessSample, type Waiver, waiversInForce } from '@slipway/features';
import { renderAge } from '../../../output/duration.js';
import { renderTable } from '../../../output/table.js';

/** Describes which components run which value, and names some of the processes that do not agree. */
export function describeComponents(all: readonly ComponentUses[]): string {
  if (all.length === 0) return '';
  const table = renderTable(
    all,
    [
      { heading: 'COMPONENT', cell: ({ name, required }) => `${name}${required ? '' : ' (optional)'}` },
      { heading: 'EXPECTED', cell: ({ expected }) => `${expected}` },
      { heading: 'ON', cell: ({ on }) => `${on}` },
      { heading: 'OFF', cell: ({ off }) => `${off}` },
      { heading: 'SILENT', cell: ({ silent }) => `${silent}` },
      { heading: 'UNREGISTERED', cell: ({ unregistered }) => `${unregistered}` },
      { heading: 'WAIVED', cell: ({ waived = 0 }) => `${waived}` },
      { heading: 'READ', cell: ({ read }) => `${read}` },
    ],
    { indent: 2 },
  );
  return `Components:\n${table}${all.flatMap(({ samples }) => samples.map(sampleLine)).join('')}`;
}

function sampleLine({ process, node, value, cause, version, waiver }: ProcessSample): string {
  const where = node === undefined || process === node ? '' : ` on ${node}`;
  const more = [cause, version, waiver && `waived by ${waiver}`].filter((text) => text !== undefined).join(', ');
  return `  ${process}${where} ${value === 'silent' ? 'is silent' : `has it ${value}`}${more && ` (${more})`}\n`;
}

/** Describes what may be passed over, until when, and who is responsible for it. */
export function describeWaivers(waivers: readonly Waiver[], nowMs: number): string {
  if (waivers.length === 0) return '';
  const table = renderTable(
    waivers,
    [
      { heading: 'WAIVER', cell: ({ id }) => id },
      { heading: 'FOR', cell: waivedThing },
      { heading: 'LEFT', cell: (waiver) => left(waiver, nowMs) },
      { heading: 'BY', cell: ({ by }) => by },
      { heading: 'REASON', weight: 9, cell: ({ reason }) => reason },
    ],
    { indent: 2 },
  );
  return `Waivers:\n${table}`;
}

function waivedThing({ process, node, task, object }: Waiver): string {
  const [[kind, name] = ['', '']] = Object.entries({ process, node, task, object }).filter(([, text]) => text);
  return `${kind} ${name}`;
}

function left(waiver: Waiver, nowMs: number): string {
  if (waiversInForce([waiver], nowMs).length === 0) return 'does not hold';
  return renderAge(new Date(nowMs).toISOString(), Date.parse(waiver.expires));
}
