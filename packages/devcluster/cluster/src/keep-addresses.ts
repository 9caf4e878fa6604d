import { ipAddressController } from '@slipway/controllers/service-addresses/ip-address-controller';
import { type Kube, type Logger, Manager, type Runnable } from '@slipway/kube';
import { startOrWarn } from './start-or-warn.js';

/** Keeps the IPAddress of each address that an API server gave to a service. */
export function keepAddresses({ kube, log }: { readonly kube: Kube; readonly log: Logger }): Runnable {
  const manager = new Manager({ kube, log });
  manager.add(ipAddressController({ kube, informers: manager.informers, log }));
  return {
    name: 'keep-addresses',
    start: (signal) => startOrWarn(manager, log, signal, 'addresses of services are not kept up'),
    stop: () => manager.stop(),
  };
}
