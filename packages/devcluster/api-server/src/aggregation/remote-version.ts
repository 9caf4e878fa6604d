import type { KubeObject } from '@slipway/kube';

/** A version of a group that another server answers for: the Service of an APIService leads to it. */
export interface RemoteVersion {
  readonly group: string;
  readonly version: string;
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
  /** Certificates that the server is believed by, in PEM. Default: those that Node trusts. */
  readonly ca: string | undefined;
  readonly isVerified: boolean;
  /** Of the group among the others; the highest is listed first. */
  readonly priority: number;
  readonly isAvailable: boolean;
}

/** Reads an APIService; undefined for one that this server answers for. */
export function remoteVersionOf({ spec, status }: KubeObject): RemoteVersion | undefined {
  const { group, version, service, caBundle, insecureSkipTLSVerify, groupPriorityMinimum } = spec ?? {};
  if (!service || !group) return undefined;
  const conditions: readonly { type: string; status: string }[] = status?.conditions ?? [];
  return {
    group,
    version,
    service: { namespace: service.namespace, name: service.name, port: service.port ?? 443 },
    ca: caBundle ? Buffer.from(caBundle, 'base64').toString() : undefined,
    isVerified: !insecureSkipTLSVerify,
    priority: groupPriorityMinimum ?? 0,
    isAvailable: conditions.some(({ type, status }) => type === 'Available' && status === 'True'),
  };
}
