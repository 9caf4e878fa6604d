import { gateSettings } from './component-flags.js';
import { type ComponentPage, ComponentPageReader } from './component-page.js';
import { fetchPage, type PageAccess, PageError, type PageFetching } from './fetch-page.js';

/**
 * Reads the metrics page of a component, no further than needed.
 * @throws PageError when it cannot be read, or no gate is on it
 */
export async function fetchComponentPage(access: PageAccess, fetching: PageFetching): Promise<ComponentPage> {
  const reader = new ComponentPageReader();
  await fetchPage(access, '/metrics', fetching, (chunk) => reader.push(chunk));
  const page = reader.page();
  if (page.gates.length === 0) throw new PageError(`${access.server}/metrics shows no gate of a Kubernetes component`);
  return page;
}

/** The version of the form moves on, so all that may be served are asked for. Plain JSON would be refused. */
const flagzForms = ['v1beta1', 'v1alpha1'].map((v) => `application/json;as=Flagz;v=${v};g=config.k8s.io`).join(',');

/**
 * The gates set explicitly, from `/flagz` (KEP-4828, beta from 1.36). Undefined where that page
 * is not offered or not allowed.
 */
export async function fetchSetGates(
  access: PageAccess,
  fetching: PageFetching,
): Promise<ReadonlyMap<string, boolean> | undefined> {
  const flagz = await fetchJson(access, '/flagz', { ...fetching, accept: flagzForms });
  if (flagz?.kind !== 'Flagz') return undefined;
  const flags = flagz.flags as Readonly<Record<string, unknown>> | undefined;
  return new Map(gateSettings(String(flags?.['feature-gates'] ?? '')));
}

/**
 * The gates that a kubelet was configured with, from `/configz`: flags and files together.
 * Undefined where that is not allowed.
 */
export async function fetchConfiguredGates(
  access: PageAccess,
  fetching: PageFetching,
): Promise<ReadonlyMap<string, boolean> | undefined> {
  const configz = await fetchJson(access, '/configz', { ...fetching, accept: 'application/json' });
  const kubelet = configz?.kubeletconfig as { readonly featureGates?: Readonly<Record<string, unknown>> } | undefined;
  if (!kubelet) return undefined;
  const settings = Object.entries(kubelet.featureGates ?? {});
  return new Map(settings.flatMap(([gate, value]) => (typeof value === 'boolean' ? [[gate, value] as const] : [])));
}

/** More is not taken of a page about settings. */
const mostBytes = 1 << 20;

async function fetchJson(
  access: PageAccess,
  path: string,
  fetching: PageFetching,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    await fetchPage(access, path, fetching, (chunk) => {
      chunks.push(chunk);
      bytes += chunk.length;
      return bytes > mostBytes;
    });
    const document: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return typeof document === 'object' && document !== null ? (document as Record<string, unknown>) : undefined;
  } catch (error) {
    if (error instanceof PageError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
