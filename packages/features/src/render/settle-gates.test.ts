import { expect, test } from 'vitest';
import type { GateCatalogue, ReleasedGate } from '../releases/gate-catalogue.js';
import { settleGates } from './settle-gates.js';

const alpha = { version: '1.30', stage: 'Alpha', default: false } as const;
const on = { version: '1.34', stage: 'Beta', default: true } as const;
const locked = { version: '1.35', stage: 'GA', default: true, locked: true } as const;
const server = ['kube-apiserver'];

const gates: Readonly<Record<string, ReleasedGate>> = {
  Plain: { stages: [alpha], components: ['kube-apiserver', 'kubelet'] },
  Late: { stages: [{ ...alpha, version: '1.36' }], components: server },
  Locked: { stages: [on, locked], components: server },
  Stable: { stages: [locked], components: server, lastIn: '1.35' },
  Dropped: { stages: [alpha], components: server, lastIn: '1.33' },
  Vague: { stages: [alpha], components: server, lastSeenIn: '1.33' },
  Nobodys: { stages: [alpha] },
  Base: { stages: [alpha], components: server },
  Needs: { stages: [alpha], components: ['kubelet'], dependsOn: ['Base', 'OnByItself'] },
  NeedsNeeds: { stages: [alpha], components: ['kube-proxy'], dependsOn: ['Needs'] },
  NeedsBoth: { stages: [alpha], components: server, dependsOn: ['Base', 'Late'] },
  NeedsLate: { stages: [alpha], components: server, dependsOn: ['Late'] },
  OnByItself: { stages: [on], components: server },
  Leans: { stages: [on], components: ['kube-scheduler'], dependsOn: ['OnByItself'] },
  Ring: { stages: [alpha], components: server, dependsOn: ['Round'] },
  Round: { stages: [alpha], components: server, dependsOn: ['Ring'] },
  Floor: { stages: [on], components: server },
  Fixed: { stages: [locked], components: server, dependsOn: ['Floor'] },
};
const catalogue: GateCatalogue = { newest: '1.37', takenOn: '2026-07-24', gates: new Map(Object.entries(gates)) };

/** `A=true@kubelet+kube-proxy(NeededBy)`, and what is left out after a bar, `!` where the wish is not met. */
function settled(wishes: string, version: string): string {
  const asked = wishes.split(' ').map((wish) => wish.split('=') as [string, string]);
  const { gates: given, leftOut } = settleGates(
    new Map(asked.map(([gate, value]) => [gate, value === 'true'])),
    version,
    catalogue,
  );
  const short = (name: string) => name.replace('kube-', '');
  const shown = given.map(({ gate, value, components, neededBy }) => {
    const runners = components?.map(short).join('+') ?? 'all';
    return `${gate}=${value}@${runners}${neededBy ? `(${neededBy})` : ''}`;
  });
  const gone = leftOut.map(({ gate, why, isMet }) => `${gate}${isMet ? '' : '!'} ${why}`);
  return [shown.join(' '), ...gone].join(' | ');
}

// what is asked for | of which version | what it is given, and what not
test.each<[string, string, string]>([
  ['Plain=true', '1.36', 'Plain=true@apiserver+kubelet'],
  ['Plain=false', '1.36', 'Plain=false@apiserver+kubelet'],
  ['Nobodys=true', '1.36', 'Nobodys=true@all'],
  ['Late=true', '1.35', ' | Late! 1.35 does not have it yet'],
  ['Late=false', '1.35', ' | Late 1.35 does not have it yet'],
  ['Locked=true', '1.34', 'Locked=true@apiserver'],
  ['Locked=true', '1.36', ' | Locked 1.36 has it locked to true'],
  ['Locked=false', '1.36', ' | Locked! 1.36 has it locked to true'],
  ['Stable=true', '1.36', ' | Stable 1.36 does not have it any more'],
  ['Stable=false', '1.36', ' | Stable! 1.36 does not have it any more'],
  ['Dropped=true', '1.36', ' | Dropped! 1.36 does not have it any more'],
  ['Dropped=false', '1.36', ' | Dropped 1.36 does not have it any more'],
  ['Vague=true', '1.35', ' | Vague! whether 1.35 has it is not known'],
  ['Ghost=true', '1.36', ' | Ghost! Kubernetes has no gate of this name'],
  ['plain=true', '1.36', ' | plain! Kubernetes calls it Plain'],

  ['Needs=true', '1.36', 'Base=true@apiserver+kubelet(Needs) Needs=true@kubelet'],
])('settleGates() of %s for %s', (wishes, version, expected) => {
  expect(settled(wishes, version)).toBe(expected);
});

// dependencies: what is asked for | of which version | what it is given, and what not
test.each<[string, string, string]>([
  [
    'NeedsNeeds=true',
    '1.36',
    'Base=true@apiserver+proxy+kubelet(Needs) Needs=true@proxy+kubelet(NeedsNeeds) NeedsNeeds=true@proxy',
  ],
  ['Needs=true Base=true', '1.36', 'Base=true@apiserver+kubelet Needs=true@kubelet'],
  ['Needs=true Base=false', '1.36', 'Base=false@apiserver | Needs! it needs Base, which was asked to be false'],
  ['NeedsLate=true', '1.35', ' | NeedsLate! it needs Late, which 1.35 cannot turn on'],
  ['NeedsBoth=true', '1.35', ' | NeedsBoth! it needs Late, which 1.35 cannot turn on'],
  ['NeedsLate=true', '1.36', 'Late=true@apiserver(NeedsLate) NeedsLate=true@apiserver'],
  ['OnByItself=false', '1.36', 'Leans=false@apiserver+scheduler(OnByItself) OnByItself=false@apiserver'],
  [
    'OnByItself=false Leans=true',
    '1.36',
    'OnByItself=false@apiserver | Leans! it needs OnByItself, which was asked to be false',
  ],
  ['Floor=false', '1.34', 'Floor=false@apiserver'],
  ['Floor=false', '1.36', ' | Floor! Fixed needs it, and 1.36 cannot turn that off'],
  ['Ring=true', '1.36', 'Ring=true@apiserver Round=true@apiserver(Ring)'],
])('settleGates() of %s for %s closes over dependencies', (wishes, version, expected) => {
  expect(settled(wishes, version)).toBe(expected);
});
