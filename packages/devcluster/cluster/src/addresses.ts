import type { ApiHandler } from '@slipway/api-server/request/request';
import type { Components } from './components.js';
import type { Access } from './kubeconfig.js';
import { Listener } from './listener.js';
import type { ResolvedOptions } from './resolved-options.js';

/**
 * Returns the listener at the address of the cluster: the only server's own, or in front of several
 * servers, each of which has another address, one that outlives all of them.
 */
export function frontDoor(options: ResolvedOptions, { servers, front }: Components): Listener {
  const [only, another] = servers;
  return only && !another ? only.listener : listenerFor(options, front, options.port);
}

/** Returns a listener with the certificate of the cluster, on `port` of its address. */
export function listenerFor({ certificates, bind }: ResolvedOptions, api: ApiHandler, port: number): Listener {
  return new Listener(api, {
    certificate: certificates.serving.certificate,
    key: certificates.serving.key,
    clientAuthority: certificates.ca.certificate,
    host: bind,
    port,
  });
}

/** Returns the administrator's access to the cluster, and to each of its servers if there are several. */
export function accessTo({ name, certificates }: ResolvedOptions, { servers }: Components, url: string): Access {
  const context = `slipway-${name}`;
  return {
    context,
    server: url,
    servers:
      servers.length === 1
        ? []
        : servers.map((one) => ({ context: `${context}-server-${one.number}`, server: one.url })),
    authority: certificates.ca.certificate,
    certificate: certificates.admin.certificate,
    key: certificates.admin.key,
  };
}
