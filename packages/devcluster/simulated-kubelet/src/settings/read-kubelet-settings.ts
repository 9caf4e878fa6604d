import { readFileSync } from 'node:fs';
import { type KubeletPullFields, kubeletLimit } from '@slipway/image-pulls';
import { errorMessage, parseQuantity, QuantityError } from '@slipway/kube';
import { parseYaml } from '@slipway/safe-yaml';
import { readStaticPods } from '../static-pods/read-static-pods.js';
import type { KubeletSettings } from './kubelet-settings.js';

/** The file is not a KubeletConfiguration that can be used. The message says what is wrong with it. */
export class KubeletSettingsError extends Error {
  override readonly name = 'KubeletSettingsError';
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a file with a KubeletConfiguration, of which simulated kubelets heed how images are pulled, how cpu and memory are
 * dealt out, what is reserved for the system, how many pods there may be, and which of them come from files.
 * @throws KubeletSettingsError
 */
export function readKubeletSettings(path: string): KubeletSettings {
  try {
    return kubeletSettings(parseYaml(readFileSync(path, 'utf8')) ?? {});
  } catch (error) {
    throw new KubeletSettingsError(`${path}: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

/** Reads the settings from a KubeletConfiguration. @throws KubeletSettingsError */
export function kubeletSettings(document: unknown): KubeletSettings {
  const fields = asFields(document, 'the document');
  const { kind, apiVersion } = fields;
  if (kind !== undefined && kind !== 'KubeletConfiguration')
    throw new KubeletSettingsError(`is a ${String(kind)}, not a KubeletConfiguration`);
  if (apiVersion !== undefined && apiVersion !== 'kubelet.config.k8s.io/v1beta1') {
    throw new KubeletSettingsError(`apiVersion is ${String(apiVersion)}, not kubelet.config.k8s.io/v1beta1`);
  }
  const { limit, problem, warning } = kubeletLimit(fields as KubeletPullFields);
  if (limit === undefined) throw new KubeletSettingsError(problem ?? 'has no limit of pulls');
  const { swapBehavior } = asFields(fields.memorySwap ?? {}, 'memorySwap');
  return {
    pullsAtOnce: limit,
    pullRate: { perSecond: wholeNumber(fields, 'registryPullQPS', 5), burst: wholeNumber(fields, 'registryBurst', 10) },
    policies: {
      swaps: swapBehavior === 'LimitedSwap',
      staticCpu: fields.cpuManagerPolicy === 'static',
      staticMemory: fields.memoryManagerPolicy === 'Static',
    },
    reserved: [amounts(fields, 'systemReserved'), amounts(fields, 'kubeReserved')],
    evictedBelow: evictedBelow(fields),
    maxPods: fields.maxPods === undefined ? undefined : wholeNumber(fields, 'maxPods', 110),
    staticPods: staticPods(fields),
    warning,
  };
}

function staticPods({ staticPodPath = '' }: Fields): KubeletSettings['staticPods'] {
  if (typeof staticPodPath !== 'string') throw new KubeletSettingsError('staticPodPath is not a path');
  return staticPodPath === '' ? [] : readStaticPods(staticPodPath);
}

/** Of the signals on which pods are evicted only the amount of free memory is heeded. */
function evictedBelow(fields: Fields): Readonly<Record<string, string>> {
  const memory = asFields(fields.evictionHard ?? {}, 'evictionHard')['memory.available'];
  return memory === undefined ? {} : { memory: amountOf(memory, 'evictionHard.memory.available') };
}

function asFields(value: unknown, what: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  throw new KubeletSettingsError(`${what} is not a map`);
}

function wholeNumber(fields: Fields, name: string, usual: number): number {
  const value = fields[name] ?? usual;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  throw new KubeletSettingsError(`${name} is ${JSON.stringify(value)}, not a whole number from 0`);
}

function amounts(fields: Fields, name: string): Readonly<Record<string, string>> {
  const given = Object.entries(asFields(fields[name] ?? {}, name));
  return Object.fromEntries(given.map(([resource, amount]) => [resource, amountOf(amount, `${name}.${resource}`)]));
}

function amountOf(value: unknown, at: string): string {
  try {
    if (parseQuantity(String(value)).nano >= 0n) return String(value);
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
  }
  throw new KubeletSettingsError(`${at} is ${JSON.stringify(value)}, which is not an amount (try 500m or 1Gi)`);
}
