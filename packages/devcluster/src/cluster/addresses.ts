import type { ApiHandler } from '../api-server/request/request.js';
import type { Components } from './components.js';
import type { Access } from './kubeconfig.js';
import { Listener } from './listener.js';
import type { Plan } from './plan.js';

/**
 * The address of the cluster. One server is it itself. Several have an address each, and stand
 * behind one that outlives all of them, so that whoever does not care for one server never has to.
 */
export function frontDoor(plan: Plan, { servers, front }: Components): Listener {
  const [only, another] = servers;
  return only && !another ? only.listener : listenerFor(plan, front, plan.port);
}

/** Shows the certificate of the cluster, on `port` of the address it is bound to. */
export function listenerFor({ certificates, bind }: Plan, api: ApiHandler, port: number): Listener {
  return new Listener(api, {
    certificate: certificates.serving.certificate,
    key: certificates.serving.key,
    clientAuthority: certificates.ca.certificate,
    host: bind,
    port,
  });
}

/** Returns the administrator's access to the cluster, and to each of its servers if there are several. */
export function accessTo({ name, certificates }: Plan, { servers }: Components, url: string): Access {
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
