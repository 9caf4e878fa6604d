import { remoteUserHeaders } from '@slipway/api-server/aggregation/remote-user';
import { type Kube, sameJson } from '@slipway/kube';
import { configMaps } from '@slipway/kube-objects/kinds/api/core';
import { objectEnsurer } from './ensure-objects.js';

/** Common name of the certificate with which API servers pass requests on. */
export const proxyName = 'front-proxy-client';

/**
 * Publishes by what servers of other groups know clients, and API servers that pass on the requests of clients. They read
 * it when they start.
 * @param authority its certificate, in PEM
 */
export async function publishAuthentication(kube: Kube, authority: string): Promise<void> {
  const { name, uid, group, extraPrefix } = remoteUserHeaders;
  const data = {
    'client-ca-file': authority,
    'requestheader-allowed-names': listOf(proxyName),
    'requestheader-client-ca-file': authority,
    'requestheader-extra-headers-prefix': listOf(extraPrefix),
    'requestheader-group-headers': listOf(group),
    'requestheader-uid-headers': listOf(uid),
    'requestheader-username-headers': listOf(name),
  };
  const metadata = { namespace: 'kube-system', name: 'extension-apiserver-authentication' };
  await objectEnsurer(kube)(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data }, (there) =>
    sameJson(there.data, data) ? undefined : { ...there, data },
  );
}

function listOf(name: string): string {
  return JSON.stringify([name]);
}
