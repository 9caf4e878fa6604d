import type { KubeObject } from '@slipway/kube';

/** An API server that is known to be: its identity lease, and the host that it says it is on. */
export interface ApiServerIdentity {
  /** Name of the lease. */
  readonly name: string;
  /** Changes with every start. */
  readonly holder: string;
  readonly hostname?: string | undefined;
}

/** One API server, and where it alone can be reached. */
export interface ApiServerAddress {
  readonly identity: string;
  /** `https://10.0.0.5:6443`. */
  readonly server: string;
}

/** Addresses of API servers from the EndpointSlices of service `default/kubernetes`. */
export function addressesIn(slices: readonly KubeObject[]): readonly string[] {
  const found = slices.flatMap(({ endpoints, ports }): string[] => {
    const port = ports?.find(({ name }: { name?: string }) => name === 'https')?.port ?? ports?.[0]?.port;
    if (typeof port !== 'number' || !Array.isArray(endpoints)) return [];
    const usable = endpoints.filter(({ conditions }) => conditions?.ready !== false);
    return usable.flatMap(({ addresses = [] }: { addresses?: string[] }) =>
      addresses.map((address) => `https://${address.includes(':') ? `[${address}]` : address}:${port}`),
    );
  });
  return [...new Set(found)].sort();
}

/** Hosts by their internal addresses, as Nodes have them. */
export function hostsOf(nodes: readonly KubeObject[]): ReadonlyMap<string, string> {
  return new Map(
    nodes.flatMap(({ metadata, status }) => {
      const hostname = metadata.labels?.['kubernetes.io/hostname'] ?? metadata.name ?? '';
      const addresses: readonly { type: string; address: string }[] = status?.addresses ?? [];
      return addresses.flatMap(({ type, address }) => (type === 'InternalIP' ? [[address, hostname] as const] : []));
    }),
  );
}

/**
 * Which API server answers at which address. Nodes tell it where API servers run on nodes of the cluster. Where they do not,
 * and there are as many addresses left as API servers, each gets one: their number is right then, while
 * which of them is which is not known. Fewer addresses than API servers leave some without.
 */
export function assignAddresses(
  identities: readonly ApiServerIdentity[],
  servers: readonly string[],
  hosts: ReadonlyMap<string, string>,
): readonly ApiServerAddress[] {
  const hostOf = (server: string) => hosts.get(new URL(server).hostname.replace(/^\[|\]$/g, ''));
  const known = identities.flatMap(({ name, hostname }) => {
    const server = servers.find((one) => hostname !== undefined && hostOf(one) === hostname);
    return server === undefined ? [] : [{ identity: name, server }];
  });
  const identitiesLeft = identities.filter(({ name }) => !known.some(({ identity }) => identity === name));
  const serversLeft = servers.filter((one) => !known.some(({ server }) => server === one));
  if (identitiesLeft.length !== serversLeft.length) return known;
  const names = identitiesLeft.map(({ name }) => name).sort();
  return [...known, ...names.map((identity, index) => ({ identity, server: serversLeft[index] ?? '' }))];
}
