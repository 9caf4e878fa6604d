import type { KubeRequest, Transport } from '@slipway/kube';

/**
 * Lists and watches as `transport` does, but of every object only the metadata,
 * so a server that has that at hand need not read the rest.
 */
export function metadataTransport(transport: Transport): Transport {
  return {
    request: (request) => transport.request(accepting('PartialObjectMetadataList', request)),
    stream: (request, signal) => transport.stream(accepting('PartialObjectMetadata', request), signal),
  };
}

function accepting(as: string, request: KubeRequest): KubeRequest {
  const accept = `application/json;as=${as};g=meta.k8s.io;v=v1`;
  return { ...request, headers: { ...request.headers, accept } };
}
