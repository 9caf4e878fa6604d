import { type Amounts, formatCpu, formatMemory } from '../planner/amounts.js';

/** Cores to a tenth: `3`, `11.9`. */
export function shortCpu(milliCores: bigint): string {
  return String(Number(milliCores) / 1000).replace(/(\.\d)\d+$/, '$1');
}

const mebibyte = 1024n ** 2n;
const gibibyte = 1024n ** 3n;

/** Bytes in whole units, rounded down: `64Gi`, `8Mi`. */
export function shortMemory(bytes: bigint): string {
  const size = bytes < 0n ? -bytes : bytes;
  if (size >= 4n * gibibyte || size % gibibyte === 0n) return size === 0n ? '0' : `${bytes / gibibyte}Gi`;
  return size >= mebibyte ? `${bytes / mebibyte}Mi` : formatMemory(bytes);
}

/** `4 / 16Gi`, for tables. */
export function shortAmounts({ cpu, memory }: Amounts): string {
  return `${shortCpu(cpu)} / ${shortMemory(memory)}`;
}

/** `4 / 16Gi`, to the last byte. */
export function exactAmounts({ cpu, memory }: Amounts): string {
  return `${formatCpu(cpu)} / ${formatMemory(memory)}`;
}

/** `4 cpu and 16Gi memory` */
export function inWords({ cpu, memory }: Amounts): string {
  return `${formatCpu(cpu)} cpu and ${formatMemory(memory)} memory`;
}
