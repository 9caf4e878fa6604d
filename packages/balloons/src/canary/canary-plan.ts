import type { EffectiveMode } from '../priority/priority-modes.js';

/** How much cpu each pod of a canary asks for, in thousandths of a core. */
export interface CanaryAmounts {
  /** The bystander has half of what is free. */
  readonly bystander: bigint;
  /** The stand-in of the balloon begins small. */
  readonly small: bigint;
  /** More than is free beside the bystander, and no more than would be free without it. */
  readonly tooMuch: bigint;
  /** Half of what is free, once the bystander is gone. */
  readonly grown: bigint;
  /** More than is free beside the grown stand-in, and no more than would be free without it. */
  readonly rival: bigint;
}

/** The least that has to be free for amounts to differ by more than rounding. */
export const leastMilliCpu = 400n;

/** Returns the requests of the canary's pods for a node with `freeMilliCpu` of free cpu. */
export function canaryAmounts(freeMilliCpu: bigint): CanaryAmounts {
  const quarter = freeMilliCpu / 4n;
  return { bystander: 2n * quarter, small: 10n, tooMuch: 3n * quarter, grown: 2n * quarter, rival: 3n * quarter };
}

/** Returns the pods that try to displace the stand-in: in mode Polite only critical pods may. */
export function rivalsOf(mode: EffectiveMode): readonly Rival[] {
  const ordinary: Rival = {
    what: 'a pod of the highest class that users may have',
    className: undefined,
    placedBy: 'scheduler',
  };
  if (mode === 'Polite') return [ordinary];
  const className = 'system-node-critical';
  return [
    ordinary,
    { what: 'a critical pod', className, placedBy: 'scheduler' },
    { what: 'a critical pod that its kubelet is handed', className, placedBy: 'kubelet' },
  ];
}

export interface Rival {
  readonly what: string;
  /** None: the class that the canary brings along. */
  readonly className: string | undefined;
  readonly placedBy: 'kubelet' | 'scheduler';
}
